package faultdisk

import (
	"context"
	"os"
	"path/filepath"
	"syscall"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
)

// node is a file or a folder. What it does to the live one the Disk is told of.
type node struct {
	fs.LoopbackNode
	d *Disk
}

// WrapChild implements fs.NodeWrapChilder: whatever is found is one of these.
func (n *node) WrapChild(_ context.Context, ops fs.InodeEmbedder) fs.InodeEmbedder {
	return &node{LoopbackNode: fs.LoopbackNode{RootData: ops.(*fs.LoopbackNode).RootData}, d: n.d}
}

// path is where it is, below the disk.
func (n *node) path() string { return n.Path(n.Root()) }

func (n *node) inode() uint64 { return n.StableAttr().Ino }

// Mkdir implements fs.NodeMkdirer.
func (n *node) Mkdir(ctx context.Context, name string, mode uint32, out *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	child, errno := n.LoopbackNode.Mkdir(ctx, name, mode, out)
	if errno == 0 {
		path := filepath.Join(n.d.safe, n.path(), name)
		n.d.changed(func() error { return os.Mkdir(path, os.FileMode(mode&0o777)) })
	}
	return child, errno
}

// Rmdir implements fs.NodeRmdirer.
func (n *node) Rmdir(ctx context.Context, name string) syscall.Errno {
	return n.remove(name, n.LoopbackNode.Rmdir(ctx, name))
}

// Unlink implements fs.NodeUnlinker.
func (n *node) Unlink(ctx context.Context, name string) syscall.Errno {
	return n.remove(name, n.LoopbackNode.Unlink(ctx, name))
}

func (n *node) remove(name string, errno syscall.Errno) syscall.Errno {
	if errno == 0 {
		path := filepath.Join(n.d.safe, n.path(), name)
		n.d.changed(func() error { return os.Remove(path) })
	}
	return errno
}

// Rename implements fs.NodeRenamer.
func (n *node) Rename(ctx context.Context, name string, parent fs.InodeEmbedder, to string, flags uint32) syscall.Errno {
	if flags != 0 {
		return syscall.ENOTSUP
	}
	errno := n.LoopbackNode.Rename(ctx, name, parent, to, flags)
	if errno == 0 {
		before, after := filepath.Join(n.d.safe, n.path(), name), filepath.Join(n.d.safe, parent.(*node).path(), to)
		n.d.changed(func() error { return os.Rename(before, after) })
	}
	return errno
}

// Link implements fs.NodeLinker: there are none.
func (n *node) Link(context.Context, fs.InodeEmbedder, string, *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	return nil, syscall.ENOTSUP
}

// Symlink implements fs.NodeSymlinker: there are none.
func (n *node) Symlink(context.Context, string, string, *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	return nil, syscall.ENOTSUP
}

// CopyFileRange implements fs.NodeCopyFileRanger: who copies writes.
func (n *node) CopyFileRange(context.Context, fs.FileHandle, uint64, *fs.Inode, fs.FileHandle, uint64, uint64,
	uint64) (uint32, syscall.Errno) {
	return 0, syscall.ENOTSUP
}

// Create implements fs.NodeCreater.
func (n *node) Create(ctx context.Context, name string, flags, mode uint32, out *fuse.EntryOut) (*fs.Inode, fs.FileHandle,
	uint32, syscall.Errno) {
	child, fh, _, errno := n.LoopbackNode.Create(ctx, name, flags, mode, out)
	if errno != 0 {
		return nil, nil, 0, errno
	}
	fh.(fs.FileReleaser).Release(ctx)
	path := filepath.Join(n.path(), name)
	n.d.changed(func() error { return os.WriteFile(filepath.Join(n.d.safe, path), nil, os.FileMode(mode&0o777)) })
	f, errno := n.open(path, flags&^(syscall.O_CREAT|syscall.O_EXCL|syscall.O_TRUNC))
	if errno != 0 {
		return nil, nil, 0, errno
	}
	f.n = child.Operations().(*node)
	return child, f, 0, 0
}

// Open implements fs.NodeOpener.
func (n *node) Open(_ context.Context, flags uint32) (fs.FileHandle, uint32, syscall.Errno) {
	f, errno := n.open(n.path(), flags)
	if errno != 0 {
		return nil, 0, errno
	}
	if flags&syscall.O_TRUNC != 0 {
		n.resized(0)
	}
	return f, 0, 0
}

func (n *node) open(path string, flags uint32) (*file, syscall.Errno) {
	f, err := os.OpenFile(filepath.Join(n.d.live, path), int(flags&^(syscall.O_APPEND|syscall.O_SYNC)), 0)
	if err != nil {
		return nil, fs.ToErrno(err)
	}
	return &file{f: f, n: n}, 0
}

// resized notes a new size.
func (n *node) resized(size int64) {
	path := filepath.Join(n.d.safe, n.path())
	n.d.changed(func() error {
		if err := os.Truncate(path, size); !os.IsNotExist(err) { // it may have had no name any more
			return err
		}
		return nil
	})
}

// Setattr implements fs.NodeSetattrer.
func (n *node) Setattr(ctx context.Context, fh fs.FileHandle, in *fuse.SetAttrIn, out *fuse.AttrOut) syscall.Errno {
	if f, ok := fh.(*file); ok { // it may have no name any more
		if size, ok := in.GetSize(); ok {
			if err := f.f.Truncate(int64(size)); err != nil {
				return fs.ToErrno(err)
			}
			n.resized(int64(size))
		}
		return f.Getattr(ctx, out)
	}
	errno := n.LoopbackNode.Setattr(ctx, nil, in, out)
	if size, ok := in.GetSize(); ok && errno == 0 {
		n.resized(int64(size))
	}
	return errno
}

// Fsync implements fs.NodeFsyncer.
func (n *node) Fsync(context.Context, fs.FileHandle, uint32) syscall.Errno {
	path := n.path()
	if _, err := os.Lstat(filepath.Join(n.d.live, path)); err != nil || n.Mode() == syscall.S_IFDIR {
		path = ""
	}
	return fs.ToErrno(n.d.sync(n.inode(), path))
}

// file is an open one.
type file struct {
	f *os.File
	n *node
}

// Getattr implements fs.FileGetattrer.
func (f *file) Getattr(_ context.Context, out *fuse.AttrOut) syscall.Errno {
	var st syscall.Stat_t
	if err := syscall.Fstat(int(f.f.Fd()), &st); err != nil {
		return fs.ToErrno(err)
	}
	out.FromStat(&st)
	return 0
}

// Read implements fs.FileReader.
func (f *file) Read(_ context.Context, buf []byte, off int64) (fuse.ReadResult, syscall.Errno) {
	n, err := f.f.ReadAt(buf, off)
	if n == 0 && err != nil && fs.ToErrno(err) != 0 && err.Error() != "EOF" {
		return nil, fs.ToErrno(err)
	}
	return fuse.ReadResultData(buf[:n]), 0
}

// Write implements fs.FileWriter.
func (f *file) Write(_ context.Context, data []byte, off int64) (uint32, syscall.Errno) {
	was, _ := f.f.Stat()
	n, err := f.f.WriteAt(data, off)
	f.n.d.wrote(f.n.inode(), f.n.path(), off, n)
	if end := off + int64(n); was != nil && end > was.Size() {
		f.n.resized(end)
	}
	return uint32(n), fs.ToErrno(err)
}

// Allocate implements fs.FileAllocater.
func (f *file) Allocate(_ context.Context, off, size uint64, mode uint32) syscall.Errno {
	err := syscall.Fallocate(int(f.f.Fd()), mode, int64(off), int64(size))
	if info, e := f.f.Stat(); err == nil && e == nil {
		f.n.resized(info.Size())
	}
	return fs.ToErrno(err)
}

// Flush implements fs.FileFlusher.
func (f *file) Flush(context.Context) syscall.Errno { return 0 }

// Release implements fs.FileReleaser.
func (f *file) Release(context.Context) syscall.Errno { return fs.ToErrno(f.f.Close()) }

// OpendirHandle implements fs.NodeOpendirHandler.
func (n *node) OpendirHandle(ctx context.Context, flags uint32) (fs.FileHandle, uint32, syscall.Errno) {
	fh, flags, errno := n.LoopbackNode.OpendirHandle(ctx, flags)
	if errno != 0 {
		return nil, 0, errno
	}
	return &folder{FileReaddirenter: fh.(fs.FileReaddirenter), FileReleasedirer: fh.(fs.FileReleasedirer), n: n}, flags, 0
}

// folder is an open one.
type folder struct {
	fs.FileReaddirenter
	fs.FileReleasedirer
	n *node
}

// Fsyncdir implements fs.FileFsyncdirer.
func (f *folder) Fsyncdir(context.Context, uint32) syscall.Errno {
	return fs.ToErrno(f.n.d.sync(f.n.inode(), ""))
}
