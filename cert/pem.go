package cert

import (
	"crypto"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
)

// The types of PEM blocks here.
const (
	typeCert = "CERTIFICATE"
	typeKey  = "PRIVATE KEY" // PKCS #8
)

func encode(kind string, der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
}

// Parse reads all certificates of a PEM file; none is an error. Other blocks are passed over.
func Parse(b []byte) ([]*x509.Certificate, error) {
	var all []*x509.Certificate
	for {
		var block *pem.Block
		block, b = pem.Decode(b)
		switch {
		case block == nil && len(all) == 0:
			return nil, errors.New("no certificate in it: want PEM, -----BEGIN CERTIFICATE-----")
		case block == nil:
			return all, nil
		case block.Type != typeCert:
			continue
		}
		c, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, fmt.Errorf("certificate %d: %w", len(all)+1, err)
		}
		all = append(all, c)
	}
}

// parseCert reads a file with one certificate.
func parseCert(b []byte) (*x509.Certificate, error) {
	all, err := Parse(b)
	if err != nil {
		return nil, err
	}
	if len(all) != 1 {
		return nil, fmt.Errorf("%d certificates, want one", len(all))
	}
	return all[0], nil
}

// parseKey reads a file with a key.
func parseKey(b []byte) (crypto.Signer, error) {
	block, _ := pem.Decode(b)
	if block == nil || block.Type != typeKey {
		return nil, errors.New("no key in it: want PEM, -----BEGIN PRIVATE KEY-----")
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, err
	}
	signer, ok := key.(crypto.Signer)
	if !ok {
		return nil, fmt.Errorf("a key of type %T does not sign", key)
	}
	return signer, nil
}
