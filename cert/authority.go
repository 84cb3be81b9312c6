package cert

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"fmt"
	"math/big"
	"net"
	"net/url"
	"time"
)

// backdate is how long before its creation a certificate is valid, since clocks differ.
const backdate = 5 * time.Minute

// Authority is a certification authority: a certificate and its key.
type Authority struct {
	Cert *x509.Certificate
	key  crypto.Signer
}

// Pair is a certificate and its key as PEM: what Write puts into two files.
type Pair struct{ Cert, Key []byte }

// New creates an authority with a validity, and returns the contents of its files.
func New(name string, now time.Time, life time.Duration) (*Authority, Pair, error) {
	t := template(name, now, now.Add(life))
	t.IsCA, t.MaxPathLenZero = true, true
	t.KeyUsage = x509.KeyUsageCertSign | x509.KeyUsageCRLSign
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, Pair{}, err
	}
	a := &Authority{Cert: t, key: key}
	pair, err := a.sign(t, key)
	if err != nil {
		return nil, Pair{}, err
	}
	a.Cert, err = parseCert(pair.Cert)
	return a, pair, err
}

// Instance makes the certificate of an instance for the addresses and names under which it is
// called.
func (a *Authority) Instance(name string, hosts []string, now time.Time, life time.Duration) (Pair, error) {
	if len(hosts) == 0 {
		return Pair{}, errors.New("an instance's certificate without an address or name")
	}
	t := template(name, now, a.until(now, life))
	t.KeyUsage, t.ExtKeyUsage = x509.KeyUsageDigitalSignature, []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	addHosts(t, hosts)
	return a.issue(t)
}

// addHosts adds addresses and names to a certificate.
func addHosts(t *x509.Certificate, hosts []string) {
	for _, host := range hosts {
		if ip := net.ParseIP(host); ip != nil {
			t.IPAddresses = append(t.IPAddresses, ip)
		} else {
			t.DNSNames = append(t.DNSNames, host)
		}
	}
}

// Switch issues the certificate of a switch with the given datapath ids. Without any it names none,
// and is refused unless an instance allows that.
func (a *Authority) Switch(datapaths []uint64, now time.Time, life time.Duration) (Pair, error) {
	name := "switch"
	var uris []*url.URL
	for _, id := range datapaths {
		uris = append(uris, datapathURI(id))
	}
	if len(uris) > 0 {
		name = fmt.Sprintf("switch %016x", datapaths[0])
	}
	t := template(name, now, a.until(now, life))
	t.KeyUsage, t.ExtKeyUsage = x509.KeyUsageDigitalSignature, []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	t.URIs = uris
	return a.issue(t)
}

// until is the end of a certificate's validity: not after the authority's.
func (a *Authority) until(now time.Time, life time.Duration) time.Time {
	end := now.Add(life)
	if end.After(a.Cert.NotAfter) {
		return a.Cert.NotAfter
	}
	return end
}

func template(name string, now, until time.Time) *x509.Certificate {
	serial, _ := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127)) // rand.Reader does not fail
	return &x509.Certificate{
		SerialNumber: serial.Add(serial, big.NewInt(1)), Subject: pkix.Name{Organization: []string{"Weir"}, CommonName: name},
		NotBefore: now.Add(-backdate), NotAfter: until, BasicConstraintsValid: true,
	}
}

// issue makes a key and signs its certificate.
func (a *Authority) issue(t *x509.Certificate) (Pair, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return Pair{}, err
	}
	return a.sign(t, key)
}

func (a *Authority) sign(t *x509.Certificate, key crypto.Signer) (Pair, error) {
	der, err := x509.CreateCertificate(rand.Reader, t, a.Cert, key.Public(), a.key)
	if err != nil {
		return Pair{}, err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return Pair{}, err
	}
	return Pair{Cert: encode(typeCert, der), Key: encode(typeKey, secret)}, nil
}
