package client

import (
	"os"
	"path/filepath"
	"strings"
)

// TokenFile is the file of a data directory that holds the admin token.
const TokenFile = "token"

// FindToken returns the token to use on the machine of an instance: the one given if it is not
// empty, else the environment's WEIR_TOKEN, else that in the file "token" of the instance's data
// directory, else none.
func FindToken(given, dataDir string) string {
	if given != "" {
		return given
	}
	if t := os.Getenv("WEIR_TOKEN"); t != "" {
		return t
	}
	b, err := os.ReadFile(filepath.Join(dataDir, TokenFile))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}
