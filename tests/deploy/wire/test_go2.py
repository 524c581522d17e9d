from him.deploy.messages import off
from him.deploy.wire import go2


def test_image_and_checksum_equal_unitree_s(golden, golden_command):
    vector = golden["Go2_LowCmd"]
    record = go2.image(golden_command)
    assert int(record["crc"][0]) == vector["crc"]
    assert record.tobytes()[:-4].hex() == vector["c_struct_image_hex"][:-8]


def test_checksum_does_not_depend_on_what_memory_held_before(golden_command):
    """Regression: gaps between fields that NumPy did not copy made the checksum change from call to call."""
    checksums = {int(go2.image(golden_command)["crc"][0]) for _ in range(200)}
    assert len(checksums) == 1


def test_motors_off():
    assert set(go2.image(off())["motor_cmd"]["mode"][0, :12]) == {go2.OFF}
