package warmstart

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/weirnet/weir/atomicfile"
)

// FileName is the file's name in a data directory.
const FileName = "remembered"

// MaxFile is the largest file that is read or written, in bytes: five times what a full network
// takes.
const MaxFile = 128 << 20

// Load reads the facts of a data directory; no facts and no error if there is no file. A file that
// cannot be decoded is renamed, so that it is neither read again nor lost.
func Load(dir string) (*Facts, error) {
	path := filepath.Join(dir, FileName)
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return new(Facts), nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	file, err := io.ReadAll(io.LimitReader(f, MaxFile+1))
	if err != nil {
		return nil, err
	}
	if len(file) > MaxFile {
		file = nil
	}
	facts, err := Parse(file)
	if err != nil {
		os.Rename(path, path+".bad") // the next write would replace it
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return facts, nil
}

// Save replaces the file of a data directory by a whole one. When it returns without an error the file survives a
// crash.
func Save(dir string, file []byte) error {
	if len(file) > MaxFile {
		return fmt.Errorf("%d bytes, want at most %d", len(file), MaxFile)
	}
	return atomicfile.Write(filepath.Join(dir, FileName), file)
}
