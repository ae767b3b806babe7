"""What a supervisor holds, and how it sends messages to its worker."""

from __future__ import annotations

import asyncio
import socket

from assay_runner.frames import FrameReader, encode
from assay_runner.supervisor.clock import Now
from assay_runner.supervisor.events import EVENT_OVERHEAD_BYTES, EventLog
from assay_runner.supervisor.output import Output
from assay_runner.supervisor.send_queue import SendQueue


def at(seconds: float) -> Now:
    return Now(seconds, round(seconds * 1000))


def held(log: EventLog) -> int:
    return sum(event.weight for event in log.after(0, 10**9))


def test_events_take_no_more_than_their_budget_and_output_beyond_it_is_counted_and_digested() -> (
    None
):
    log = EventLog(100 * 1024)
    output = Output(log, 2**30)
    kept = b"".join(output.add(b"x" * 10_000, at(n)) for n in range(20))
    output.flush(at(20))
    assert held(log) <= 100 * 1024
    assert len(kept) > 90_000
    summary = output.summary()
    assert (summary["bytes"], summary["storedBytes"]) == (200_000, len(kept))
    assert summary["truncated"] is True


def test_acknowledged_events_make_room_for_others() -> None:
    log = EventLog(4 * EVENT_OVERHEAD_BYTES)
    for n in range(10):
        log.append("asked", n, {}, b"x" * EVENT_OVERHEAD_BYTES)
        assert log.room == 2 * EVENT_OVERHEAD_BYTES - EVENT_OVERHEAD_BYTES
        log.forget(log.last_seq)
    assert log.room == 3 * EVENT_OVERHEAD_BYTES


def test_output_after_a_gap_is_never_kept() -> None:
    log = EventLog(EVENT_OVERHEAD_BYTES + 10)
    output = Output(log, 2**30)
    assert output.add(b"x" * 20, at(0)) == b"x" * 10
    log.forget(log.last_seq)
    assert output.add(b"y", at(1)) == b""
    assert output.summary()["tail"] is not None


def test_a_job_that_prints_all_day_has_tens_of_thousands_of_events_and_not_millions() -> None:
    log = EventLog(16 * 1024 * 1024)
    output = Output(log, 2**30)
    seconds = 0.0
    while seconds < 24 * 3600:
        output.add(b".", at(seconds))
        due = output.due_at
        # It prints each millisecond; what comes before the batch is due changes nothing.
        seconds = seconds + 0.001 if due is None else due
        output.emit_due(at(seconds))
    assert log.last_seq < 35_000
    assert output.summary()["truncated"] is False


def test_the_first_output_is_sent_at_once_and_the_next_after_25_ms() -> None:
    log = EventLog(2**20)
    output = Output(log, 2**20)
    output.add(b"a", at(1.0))
    assert log.last_seq == 1
    output.add(b"b", at(1.01))
    output.add(b"c", at(1.02))
    assert (log.last_seq, output.due_at) == (1, 1.025)
    output.emit_due(at(1.024))
    assert log.last_seq == 1
    output.emit_due(at(1.025))
    assert [event.data for event in log.after(0, 9)] == [b"a", b"bc"]


def test_messages_are_sent_in_order_however_long_they_are_and_slow_their_reader() -> None:
    messages = [{"n": n, "text": "x" * (n % 3) * 300_000} for n in range(9)]

    async def exchange() -> list[object]:
        ours, theirs = socket.socketpair()
        ours.setblocking(False)
        theirs.setblocking(False)
        loop = asyncio.get_running_loop()
        queue = SendQueue(ours)
        reader, received = FrameReader(2**20), list[object]()
        with ours, theirs:
            for message in messages:
                queue.put([encode(message)])
            while len(received) < len(messages):
                received.extend(reader.feed(await loop.sock_recv(theirs, 10_000)))
            queue.put([encode({"n": "last"})])
            received.extend(reader.feed(await loop.sock_recv(theirs, 10_000)))
            queue.close()
        return received

    assert asyncio.run(exchange()) == [*messages, {"n": "last"}]


def test_a_reader_that_has_hung_up_is_no_error() -> None:
    async def exchange() -> None:
        ours, theirs = socket.socketpair()
        ours.setblocking(False)
        queue = SendQueue(ours)
        queue.put([encode({"text": "x" * 2**20})])
        theirs.close()
        queue.put([encode({})])
        await asyncio.sleep(0)
        queue.close()
        ours.close()

    asyncio.run(exchange())
