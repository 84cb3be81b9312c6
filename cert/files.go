package cert

import (
	"crypto"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/weirnet/weir/atomicfile"
)

// Names of an authority's files in its directory.
const (
	CAName     = "ca"       // ca.pem and ca-key.pem
	keySuffix  = "-key.pem" // mode 0600
	certSuffix = ".pem"
)

// CertFile and KeyFile are where Write puts a pair.
func CertFile(dir, name string) string { return filepath.Join(dir, name+certSuffix) }

// KeyFile is where Write puts a pair's key.
func KeyFile(dir, name string) string { return filepath.Join(dir, name+keySuffix) }

// Write puts a pair into DIR/NAME.pem and DIR/NAME-key.pem, the latter readable by its owner only.
// Where one of them is there it writes neither, unless replace says so: the error then wraps
// fs.ErrExist.
func Write(dir, name string, p Pair, replace bool) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	files := [2]struct {
		path string
		mode os.FileMode
		text []byte
	}{{KeyFile(dir, name), 0o600, p.Key}, {CertFile(dir, name), 0o644, p.Cert}}
	if !replace {
		for _, f := range files {
			if _, err := os.Lstat(f.path); err == nil {
				return fmt.Errorf("%s: %w", f.path, fs.ErrExist)
			}
		}
	}
	for _, f := range files {
		if err := write(f.path, f.text, f.mode, replace); err != nil {
			return err
		}
	}
	return nil
}

// write creates a file whole or not at all: under another name first, which is then linked, or
// renamed where a file may be replaced.
func write(path string, text []byte, mode os.FileMode, replace bool) error {
	f, err := atomicfile.Create(path)
	if err != nil {
		return err
	}
	defer f.Discard()
	_, err = f.Write(text)
	if err = errors.Join(err, f.Chmod(mode)); err != nil {
		return err
	}
	if replace {
		return f.Commit()
	}
	return f.CommitNew()
}

// Load reads the authority of a directory. The error names the file; it wraps fs.ErrNotExist where
// there is none.
func Load(dir string, now time.Time) (*Authority, error) {
	path := CertFile(dir, CAName)
	a := &Authority{}
	text, err := os.ReadFile(path)
	if err == nil {
		a.Cert, err = parseCert(text)
	}
	switch {
	case err != nil:
	case !a.Cert.IsCA:
		err = errors.New("not the certificate of an authority")
	default:
		err = CheckTime(a.Cert, now)
	}
	if err != nil {
		return nil, named(path, err)
	}
	path = KeyFile(dir, CAName)
	if text, err = os.ReadFile(path); err == nil {
		a.key, err = parseKey(text)
	}
	if err == nil && !a.key.Public().(interface{ Equal(crypto.PublicKey) bool }).Equal(a.Cert.PublicKey) {
		err = errors.New("not the key of the authority's certificate")
	}
	if err != nil {
		return nil, named(path, err)
	}
	return a, nil
}

// named puts the file's name before an error that does not have it yet.
func named(path string, err error) error {
	if errors.As(err, new(*fs.PathError)) {
		return err
	}
	return fmt.Errorf("%s: %w", path, err)
}
