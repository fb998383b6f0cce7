"""Reads a timeline of `chomp trace` by Perfetto's public schema (the package perfetto of PyPI), and checks its form."""

import dataclasses
import sys
from collections import defaultdict

from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace, TrackEvent


@dataclasses.dataclass
class Mark:
    name: str
    category: str
    begin: int
    end: int
    notes: dict
    flows: list
    ending_flows: list


@dataclasses.dataclass
class Track:
    name: str
    parent: int
    slices: list = dataclasses.field(default_factory=list)
    instants: list = dataclasses.field(default_factory=list)
    open: list = dataclasses.field(default_factory=list)


class Timeline:
    def __init__(self):
        self.tracks, self.counters, self.processes = {}, defaultdict(list), {}

    def threads(self):
        return [track for track in self.tracks.values() if track.name.startswith("thread ")]


def read(path):
    trace = Trace()
    with open(path, "rb") as file:
        trace.ParseFromString(file.read())
    line, names, categories, notes = Timeline(), {}, {}, {}
    for packet in trace.packet:
        for kind, known in (("event_names", names), ("event_categories", categories), ("debug_annotation_names", notes)):
            known.update((entry.iid, entry.name) for entry in getattr(packet.interned_data, kind))
        if packet.HasField("track_descriptor"):
            track = packet.track_descriptor
            if track.HasField("process"):
                line.processes[track.uuid] = track.process
            else:
                if track.parent_uuid not in line.tracks and track.parent_uuid not in line.processes:
                    sys.exit(f"the track {track.name} has no parent")
                line.tracks[track.uuid] = Track(track.name, track.parent_uuid)
        if packet.HasField("track_event"):
            take(line, packet.timestamp, packet.track_event, names, categories, notes)
    for track in line.tracks.values():
        if track.open:
            sys.exit(f"{track.name}: {track.open[-1].name} has no end")
    return line


def take(line, at, event, names, categories, notes):
    track = line.tracks[event.track_uuid]
    if event.type == TrackEvent.TYPE_COUNTER:
        line.counters[track.name].append(event.counter_value)
        return
    if event.type == TrackEvent.TYPE_SLICE_END:
        if not track.open:
            sys.exit(f"{track.name}: an end without a beginning")
        track.open[-1].end = at
        if at < track.open.pop().begin:
            sys.exit(f"{track.name}: a slice ends before it begins")
        return
    mark = Mark(names[event.name_iid], categories[event.category_iids[0]], at, at,
                {notes[each.name_iid]: each.uint_value for each in event.debug_annotations}, list(event.flow_ids),
                list(event.terminating_flow_ids))
    if event.type == TrackEvent.TYPE_INSTANT:
        track.instants.append(mark)
    else:
        if track.slices and at < track.slices[-1].begin:
            sys.exit(f"{track.name}: {mark.name} is out of order")
        track.slices.append(mark)
        track.open.append(mark)
