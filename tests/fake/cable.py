"""A cable between controller and robot that can be pulled and plugged in again."""

import select
import socket
import threading

from him.fake.wire import HOST


class Cable(threading.Thread):
    """Passes packets between whoever sends to `port` and the robot's port."""

    def __init__(self, robot: int) -> None:
        super().__init__(daemon=True)
        self.plugged = True
        self._open = True
        self._near, self._far = (socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(2))
        self._near.bind((HOST, 0))
        self._far.connect((HOST, robot))
        self.port = int(self._near.getsockname()[1])

    def run(self) -> None:
        controller = None
        while self._open:
            for end in select.select([self._near, self._far], [], [], 0.1)[0]:
                if end is self._near:
                    packet, controller = end.recvfrom(2048)
                    if self.plugged:
                        self._far.send(packet)
                elif controller is not None:
                    packet = end.recv(2048)
                    if self.plugged:
                        self._near.sendto(packet, controller)

    def close(self) -> None:
        self._open = False
        self.join()
        self._near.close()
        self._far.close()
