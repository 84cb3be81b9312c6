package wire

import (
	"crypto/hmac"
	"crypto/sha256"
	"fmt"
)

// Version is that of the protocol. Both sides have the same.
const Version = 1

// NonceLen is how many bytes a number has that a side draws for one connection.
const NonceLen = 32

// Hello is what an observer says first.
type Hello struct {
	Version int    `json:"weir_probe"`
	Nonce   []byte `json:"nonce"`
}

// Proof is what follows it, of either side.
type Proof struct {
	Version int    `json:"weir_probe"`
	Nonce   []byte `json:"nonce,omitempty"` // of the near side
	Proof   []byte `json:"proof,omitempty"`
	Error   *Error `json:"error,omitempty"` // of the observer, in place of a proof
}

// CheckVersion finds a side of another version, or none at all.
func CheckVersion(v int) error {
	switch v {
	case Version:
		return nil
	case 0:
		return fmt.Errorf("%w: it has no version", ErrMessage)
	}
	return fmt.Errorf("version %d given, want %d", v, Version)
}

// Check finds what is wrong.
func (h *Hello) Check() error { return checkNonce(h.Version, h.Nonce) }

// Check finds what is wrong with a near side's.
func (p *Proof) Check() error { return checkNonce(p.Version, p.Nonce) }

func checkNonce(version int, nonce []byte) error {
	if err := CheckVersion(version); err != nil {
		return err
	}
	if len(nonce) != NonceLen {
		return fmt.Errorf("%w: a number of %d bytes given, want %d", ErrMessage, len(nonce), NonceLen)
	}
	return nil
}

// Side is one of the two of a connection.
type Side string

// The sides.
const (
	Observer Side = "observer"
	Near     Side = "near"
)

// Prove is a side's proof that it has the key, which may be empty. Each side has one of its own, so
// that none can be sent back.
func Prove(side Side, key, observers, nears []byte) []byte {
	m := hmac.New(sha256.New, key)
	m.Write([]byte(side))
	m.Write(observers)
	m.Write(nears)
	return m.Sum(nil)
}

// Proves reports whether a proof is a side's with the same key.
func Proves(proof []byte, side Side, key, observers, nears []byte) bool {
	return hmac.Equal(proof, Prove(side, key, observers, nears))
}
