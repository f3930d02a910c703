"""Keep a kernel on this machine: refuse every connection that leaves it, and note whether the Python reference is read.

The text of this file runs inside the kernel, before the first cell and outside the notebook's names, so it imports
nothing but the standard library.
"""

import errno
import ipaddress
import os
import sys


def refuse(event: str, arguments: tuple[object, ...]) -> None:
    """Audit hook: raise ``OSError`` where a socket reaches for another machine, by address or by name."""
    if event in {"socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"}:
        host = arguments[0]
    elif event in {"socket.connect", "socket.sendto", "socket.sendmsg"}:
        address = arguments[1]
        if not isinstance(address, tuple):  # a Unix socket, or one that is connected already
            return
        host = address[0]
    else:
        return
    if isinstance(host, bytes | bytearray):
        host = bytes(host).decode("ascii", "replace")
    if host in {None, "", "localhost"}:
        return
    try:
        if ipaddress.ip_address(str(host).partition("%")[0]).is_loopback:
            return
    except ValueError:  # a name: looking it up would already ask another machine
        pass
    raise OSError(errno.ENETUNREACH, f"no network while a notebook is built or verified, but it asked for {host}")


def install(marker: str) -> None:
    """Watch this process; create the file ``marker`` when it reads Python's own language reference."""

    def watch(event: str, arguments: tuple[object, ...]) -> None:
        if event == "import":
            if arguments[0] == "pydoc_data.topics":
                os.close(os.open(marker, os.O_CREAT | os.O_WRONLY))
        elif event.startswith("socket."):
            refuse(event, arguments)

    sys.addaudithook(watch)
