package rest

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/atomicfile"
)

// The files of a data directory that hold tokens.
const (
	AdminTokenFile    = client.TokenFile
	OperatorTokenFile = "token-operator"
	ViewerTokenFile   = "token-viewer"
)

// minTokenLen keeps a token file that was cut short, or a guessable one, from being used.
const minTokenLen = 16

// LoadTokens reads the tokens of a data directory, and makes those that are not there yet (256
// random bits, file mode 0600). A file that others can read, that holds too short a token, or the token of
// another role, is an error.
func LoadTokens(dir string) ([]Token, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("data directory: %w", err)
	}
	var tokens []Token
	for _, f := range []struct {
		name string
		role Role
	}{{AdminTokenFile, RoleAdmin}, {OperatorTokenFile, RoleOperator}, {ViewerTokenFile, RoleViewer}} {
		path := filepath.Join(dir, f.name)
		secret, err := readToken(path)
		if errors.Is(err, fs.ErrNotExist) {
			secret, err = makeToken(path)
		}
		if err != nil {
			return nil, err
		}
		for _, t := range tokens {
			if t.Secret == secret {
				return nil, fmt.Errorf("token file %s holds the token of role %s, and each role has one of its own: "+
					"delete it and a new one is made", path, t.Role)
			}
		}
		tokens = append(tokens, Token{Role: f.role, Secret: secret, File: f.name})
	}
	return tokens, nil
}

func readToken(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 {
		return "", fmt.Errorf("token file %s has mode %04o and must not be open to others: chmod 600 it", path, mode)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	secret := strings.TrimSpace(string(b))
	if at := strings.IndexFunc(secret, func(c rune) bool { return c <= ' ' || c > '~' }); at >= 0 {
		return "", fmt.Errorf(
			"token file %s is damaged: its byte %d is no character that a header can carry (printable ASCII, no space): "+
				"delete it and a new one is made", path, at+1)
	}
	if len(secret) < minTokenLen {
		return "", fmt.Errorf("token file %s holds %d characters, and a token has at least %d: delete it and a new one is made",
			path, len(secret), minTokenLen)
	}
	if strings.Count(secret, secret[:1]) == len(secret) {
		return "",
			fmt.Errorf("token file %s holds one character %d times, which anybody can guess: delete it and a new one is made",
				path, len(secret))
	}
	return secret, nil
}

func makeToken(path string) (string, error) {
	random := make([]byte, 32)
	rand.Read(random) // the system's source does not fail
	secret := base64.RawURLEncoding.EncodeToString(random)
	if err := atomicfile.Write(path, []byte(secret+"\n")); err != nil {
		return "", fmt.Errorf("making token file %s: %w", path, err)
	}
	return secret, nil
}
