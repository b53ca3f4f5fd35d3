# Reads what tests/files/cells.snl.in and image.snl wrote with the libraries of the formats, as far as they are here.
# Prints "MODULE absent", or nothing where all is right.
import os

try:
    import h5py
    f = h5py.File("tree.h5")
    x = dict(zip(map(tuple, f["x/coords"][()]), f["x/values"][()]))
    assert x == {(-16, -16, -8): 1.0, (0, 0, 0): 2.5, (3, 2, 1): 2.5, (15, 15, 7): 0.0}, x
    assert list(f["x"].attrs["shape"]) == [32, 32, 16] and f["x"].attrs["ambient"] == 2.5
    assert h5py.File("d.h5")["d"][4, 5, 6] == 456 and h5py.File("flag.h5")["flag"].dtype == bool
    assert h5py.File("w.h5")["w"].shape == (9, 4)
except ImportError:
    print("h5py absent")

try:
    import vtk
    from vtk.util.numpy_support import vtk_to_numpy
    r = vtk.vtkXMLImageDataReader()
    r.SetFileName("d.vti")
    r.Update()
    o = r.GetOutput()
    assert o.GetExtent() == (0, 5, 0, 6, 0, 7)
    a = vtk_to_numpy(o.GetCellData().GetArray("d")).reshape(7, 6, 5)
    assert all(a[k, j, i] == 100 * i + 10 * j + k for i in range(5) for j in range(6) for k in range(7))
    u = vtk.vtkXMLUnstructuredGridReader()
    u.SetFileName("tree.vtu")
    u.Update()
    g = u.GetOutput()
    assert g.GetNumberOfCells() == 4 and g.GetNumberOfPoints() == 32
    assert g.GetCell(0).GetBounds() == (-16, -15, -16, -15, -8, -7)
    assert list(vtk_to_numpy(g.GetCellData().GetArray("v"))[2]) == [1, 2, 3]
    # All the ways in which VTK writes images, for the program to read.
    n = 0
    for mode in (vtk.vtkXMLWriter.Ascii, vtk.vtkXMLWriter.Binary, vtk.vtkXMLWriter.Appended):
        for compressed in (0, 1):
            for size in (32, 64):
                for order in (0, 1):
                    for encoded in (0, 1):
                        w = vtk.vtkXMLImageDataWriter()
                        w.SetInputData(o)
                        w.SetDataMode(mode)
                        w.SetHeaderType(size)
                        w.SetEncodeAppendedData(encoded)
                        w.SetByteOrder(order)
                        w.SetBlockSize(256)
                        w.SetCompressorTypeToZLib() if compressed else w.SetCompressorTypeToNone()
                        w.SetFileName("by_vtk_%d.vti" % n)
                        w.Write()
                        n += 1
except ImportError:
    print("vtk absent")
