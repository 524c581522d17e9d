"""A DDS domain bound to one network interface, and the topics of a Go2 on it."""

from typing import Any

from cyclonedds.core import Policy, Qos
from cyclonedds.domain import Domain, DomainParticipant
from cyclonedds.pub import DataWriter
from cyclonedds.sub import DataReader
from cyclonedds.topic import Topic

from him.errors import HimError

CONFIG = """<CycloneDDS><Domain Id="any"><General><Interfaces>
<NetworkInterface name="{interface}" {extra}/>
</Interfaces></General>{discovery}</Domain></CycloneDDS>"""
LOOPBACK = """<Discovery><ParticipantIndex>auto</ParticipantIndex>
<Peers><Peer address="127.0.0.1"/></Peers></Discovery>"""
"""A loopback interface has no multicast, by which the others find each other."""


class Bus:
    """Readers and writers on one interface; nothing leaves through another."""

    def __init__(self, interface: str, domain: int = 0) -> None:
        local = interface == "lo"
        text = CONFIG.format(
            interface=interface,
            extra='multicast="false"' if local else 'priority="default"',
            discovery=LOOPBACK if local else "",
        )
        try:
            self._domain = Domain(domain, text)
            self._participant = DomainParticipant(domain)
        except Exception as error:
            raise HimError(f"DDS cannot use the network interface {interface!r}: {error}") from None

    def writer(self, topic: str, kind: Any) -> DataWriter:
        """A writer of a topic; reliable, as Unitree's are by default."""
        return DataWriter(self._participant, Topic(self._participant, topic, kind))

    def reader(self, topic: str, kind: Any, depth: int = 1) -> DataReader:
        """A reader that keeps the newest `depth` samples."""
        qos = Qos(Policy.History.KeepLast(depth))
        return DataReader(self._participant, Topic(self._participant, topic, kind), qos=qos)
