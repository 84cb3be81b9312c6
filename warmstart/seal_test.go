package warmstart

import (
	"crypto/sha256"
	"encoding/binary"
)

// sealed makes a file of a body.
func sealed(body []byte) []byte {
	file := append(binary.BigEndian.AppendUint16([]byte(magic), format), body...)
	sum := sha256.Sum256(file)
	return append(file, sum[:]...)
}
