"""Distances of frames from one of them, by mdtraj's loops over frames."""
import mdtraj
import numpy

random = numpy.random.RandomState(7)
topology = mdtraj.Topology()
residue = topology.add_residue("ALA", topology.add_chain())
for i in range(60):
    topology.add_atom(f"C{i}", mdtraj.element.carbon, residue)
frames = mdtraj.Trajectory(random.rand(400, 60, 3).astype(numpy.float32), topology)
for frame in (0, 200):
    for each in mdtraj.rmsd(frames, frames, frame, parallel=True)[::40]:
        print(f"{each:.5f}")
frames.superpose(frames, 7, parallel=True)
print(f"{numpy.abs(frames.xyz).sum():.3f}", f"{frames.xyz[399, 59, 2]:.5f}")
for each in mdtraj.shrake_rupley(frames[:8]).sum(axis=1):
    print(f"{each:.4f}")
