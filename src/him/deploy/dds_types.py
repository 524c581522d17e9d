# mypy: disable-error-code="call-arg"
"""Unitree's DDS messages for the Go2, field by field in the order of its IDL.

Every 8-bit number is declared as `byte`. cyclonedds 11 announces `uint8` in a way that the 0.10 release on
the robot does not know: a 0.10 process that discovers such a type crashes.
"""

from dataclasses import dataclass

from cyclonedds.idl import IdlStruct
from cyclonedds.idl.annotations import final
from cyclonedds.idl.types import array, byte, float32, int16, int32, int64, sequence, uint16, uint32


@dataclass
@final
class MotorCmd(IdlStruct, typename="unitree_go.msg.dds_.MotorCmd_"):
    mode: byte
    q: float32
    dq: float32
    tau: float32
    kp: float32
    kd: float32
    reserve: array[uint32, 3]


@dataclass
@final
class BmsCmd(IdlStruct, typename="unitree_go.msg.dds_.BmsCmd_"):
    off: byte
    reserve: array[byte, 3]


@dataclass
@final
class LowCmd(IdlStruct, typename="unitree_go.msg.dds_.LowCmd_"):
    head: array[byte, 2]
    level_flag: byte
    frame_reserve: byte
    sn: array[uint32, 2]
    version: array[uint32, 2]
    bandwidth: uint16
    motor_cmd: array[MotorCmd, 20]
    bms_cmd: BmsCmd
    wireless_remote: array[byte, 40]
    led: array[byte, 12]
    fan: array[byte, 2]
    gpio: byte
    reserve: uint32
    crc: uint32


@dataclass
@final
class MotorState(IdlStruct, typename="unitree_go.msg.dds_.MotorState_"):
    mode: byte
    q: float32
    dq: float32
    ddq: float32
    tau_est: float32
    q_raw: float32
    dq_raw: float32
    ddq_raw: float32
    temperature: byte
    lost: uint32
    reserve: array[uint32, 2]


@dataclass
@final
class IMUState(IdlStruct, typename="unitree_go.msg.dds_.IMUState_"):
    quaternion: array[float32, 4]
    gyroscope: array[float32, 3]
    accelerometer: array[float32, 3]
    rpy: array[float32, 3]
    temperature: byte


@dataclass
@final
class BmsState(IdlStruct, typename="unitree_go.msg.dds_.BmsState_"):
    version_high: byte
    version_low: byte
    status: byte
    soc: byte
    current: int32
    cycle: uint16
    bq_ntc: array[byte, 2]
    mcu_ntc: array[byte, 2]
    cell_vol: array[uint16, 15]


@dataclass
@final
class LowState(IdlStruct, typename="unitree_go.msg.dds_.LowState_"):
    head: array[byte, 2]
    level_flag: byte
    frame_reserve: byte
    sn: array[uint32, 2]
    version: array[uint32, 2]
    bandwidth: uint16
    imu_state: IMUState
    motor_state: array[MotorState, 20]
    bms_state: BmsState
    foot_force: array[int16, 4]
    foot_force_est: array[int16, 4]
    tick: uint32
    wireless_remote: array[byte, 40]
    bit_flag: byte
    adc_reel: float32
    temperature_ntc1: byte
    temperature_ntc2: byte
    power_v: float32
    power_a: float32
    fan_frequency: array[uint16, 4]
    reserve: uint32
    crc: uint32


@dataclass
@final
class RequestIdentity(IdlStruct, typename="unitree_api.msg.dds_.RequestIdentity_"):
    id: int64
    api_id: int64


@dataclass
@final
class RequestLease(IdlStruct, typename="unitree_api.msg.dds_.RequestLease_"):
    id: int64


@dataclass
@final
class RequestPolicy(IdlStruct, typename="unitree_api.msg.dds_.RequestPolicy_"):
    priority: int32
    noreply: bool


@dataclass
@final
class RequestHeader(IdlStruct, typename="unitree_api.msg.dds_.RequestHeader_"):
    identity: RequestIdentity
    lease: RequestLease
    policy: RequestPolicy


@dataclass
@final
class Request(IdlStruct, typename="unitree_api.msg.dds_.Request_"):
    header: RequestHeader
    parameter: str
    binary: sequence[byte]


@dataclass
@final
class ResponseStatus(IdlStruct, typename="unitree_api.msg.dds_.ResponseStatus_"):
    code: int32


@dataclass
@final
class ResponseHeader(IdlStruct, typename="unitree_api.msg.dds_.ResponseHeader_"):
    identity: RequestIdentity
    status: ResponseStatus


@dataclass
@final
class Response(IdlStruct, typename="unitree_api.msg.dds_.Response_"):
    header: ResponseHeader
    data: str
    binary: sequence[byte]
