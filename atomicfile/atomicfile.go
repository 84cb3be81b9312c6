package atomicfile

import (
	"errors"
	"os"
	"path/filepath"
)

// File is written beside the path that it will have.
type File struct {
	*os.File
	path string
}

// Create begins a file, under a name that nobody else has.
func Create(path string) (*File, error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return nil, err
	}
	return &File{f, path}, nil
}

// Commit gives the file its path, in place of what was there.
func (f *File) Commit() error { return f.commit(os.Rename) }

// CommitNew gives the file its path; the error wraps fs.ErrExist where something is there.
func (f *File) CommitNew() error { return f.commit(os.Link) }

func (f *File) commit(publish func(from, to string) error) error {
	defer os.Remove(f.Name()) // no effect after renaming
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := publish(f.Name(), f.path); err != nil {
		return err
	}
	return SyncDir(filepath.Dir(f.path))
}

// Discard ends a file that was not committed; after that it has no effect.
func (f *File) Discard() {
	f.Close()
	os.Remove(f.Name())
}

// Write replaces a file. Only one goroutine of one process may write to a path: what another one
// left unfinished, under path.new, is overwritten.
func Write(path string, b []byte) error {
	f, err := os.OpenFile(path+".new", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	w := File{f, path}
	if _, err := f.Write(b); err != nil {
		w.Discard()
		return err
	}
	return w.Commit()
}

// SyncDir returns when the entries of a directory are on the disk.
func SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
