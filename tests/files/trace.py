"""trace.py FILE...: are these traces as Chrome's viewer and Perfetto read them? Rules of the Trace Event Format for what we write."""
import json
import sys

METADATA = {"process_name", "process_labels", "process_sort_index", "thread_name", "thread_sort_index"}
MARGIN = 0.002  # times are written to a thousandth of a microsecond


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def check_event(e):
    assert isinstance(e["name"], str) and e["name"], "name"
    assert isinstance(e["pid"], int) and isinstance(e["tid"], int), "pid and tid are integers"
    assert e["ph"] in ("X", "B", "E", "C", "M"), "phase"
    if e["ph"] == "M":
        assert e["name"] in METADATA, "name of metadata"
        assert isinstance(e["args"]["name"], str) and e["args"]["name"], "args of metadata"
        return
    assert is_number(e["ts"]) and e["ts"] >= 0, "ts"
    assert isinstance(e.get("cat", ""), str), "cat"
    if e["ph"] == "X":
        assert is_number(e["dur"]) and e["dur"] >= 0, "dur"
    if e["ph"] == "C":
        assert e["args"] and all(is_number(v) for v in e["args"].values()), "args of a counter are numbers"


def check_track(events):
    """Events of one thread: times rise, begins have ends, and what is complete lies in one another or apart."""
    last, open_events = -1.0, []
    for e in events:
        assert e["ts"] >= last - MARGIN, "times rise: %s" % e
        last = e["ts"]
        if e["ph"] == "E":
            assert open_events and open_events.pop() == e["name"], "an end without its begin: %s" % e
            continue
        if e["ph"] == "B":
            open_events.append(e["name"])
            continue
        end = e["ts"] + e["dur"]
        while open_events and open_events[-1] <= e["ts"] + MARGIN:
            open_events.pop()
        assert not open_events or end <= open_events[-1] + MARGIN, "events cross: %s" % e
        open_events.append(end)
    assert not open_events or not isinstance(open_events[-1], str), "a begin without its end"


def check(path):
    with open(path, encoding="utf-8") as f:
        trace = json.load(f)
    assert isinstance(trace["traceEvents"], list) and trace["traceEvents"], "traceEvents"
    assert trace.get("displayTimeUnit", "ms") in ("ms", "ns"), "displayTimeUnit"
    assert isinstance(trace.get("otherData", {}), dict), "otherData"
    tracks = {}
    for e in trace["traceEvents"]:
        check_event(e)
        if e["ph"] != "M":
            key = (e["pid"], e["tid"], e["name"] if e["ph"] == "C" else None)
            tracks.setdefault(key, []).append(e)
    for (_, _, counter), events in tracks.items():
        if counter is None:
            check_track(events)
        else:
            assert all(a["ts"] <= b["ts"] for a, b in zip(events, events[1:])), "counter: times rise"
    return trace["traceEvents"]


for path in sys.argv[1:]:
    try:
        events = check(path)
        if any(e.get("cat") == "kernel" for e in events):
            names = {e["name"] for e in events if e["ph"] == "M"}
            assert names == {"process_name", "thread_name"}, "metadata"
            named = {e["tid"] for e in events if e["name"] == "thread_name"}
            assert {e["tid"] for e in events} == named, "each track has a name, each name a track"
    except (AssertionError, KeyError, ValueError, TypeError) as error:
        sys.exit("%s: %s %s" % (path, type(error).__name__, error))
