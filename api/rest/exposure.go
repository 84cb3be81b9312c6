package rest

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// Exposure is how far an instance opens its API.
type Exposure struct {
	Listen   string // HOST:PORT
	TLS      bool   // with a certificate
	Insecure bool   // --insecure: without TLS off loopback
	Open     bool   // --auth=none
	NoTLS    bool   // the command has no flags for a certificate
}

// CheckExposure refuses what must not listen: an API without tokens, or without TLS, that other
// machines can reach.
func CheckExposure(e Exposure) error {
	host, _, err := net.SplitHostPort(e.Listen)
	if err != nil {
		return fmt.Errorf("API address %q: want HOST:PORT, such as 127.0.0.1:8181", e.Listen)
	}
	switch {
	case IsLoopback(host):
		return nil
	case e.Open:
		return fmt.Errorf("--auth=none with API address %s, which other machines can reach: use a loopback address, such as 127.0.0.1:8181, or tokens", e.Listen)
	case e.NoTLS && !e.Insecure:
		return fmt.Errorf("other machines can reach API address %s, without TLS: give --insecure, or start weir node with a certificate, and weir emulate", e.Listen)
	case !e.TLS && !e.Insecure:
		return fmt.Errorf("API address %s, which other machines can reach, without TLS: give --api-tls-cert and --api-tls-key, or --insecure", e.Listen)
	}
	return nil
}

// IsLoopback: only this machine reaches the host. No name but localhost is trusted to be one.
func IsLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.Unmap().IsLoopback()
}

// ownNames are the names by which requests may address the server.
type ownNames struct {
	anyAddress bool // listening on all addresses: any of them is ours
	names      map[string]bool
}

func newOwnNames(a Access) ownNames {
	h := ownNames{names: map[string]bool{"localhost": true}}
	for _, name := range a.Names {
		h.names[canonical(name)] = true
	}
	host, _, err := net.SplitHostPort(a.Listen)
	if err != nil {
		return h
	}
	if addr, err := netip.ParseAddr(host); host == "" || err == nil && addr.IsUnspecified() {
		h.anyAddress = true
	}
	h.names[canonical(host)] = true
	return h
}

// certificateNames returns the names that the server's certificates are for.
func certificateNames(cfg *tls.Config) []string {
	var names []string
	if cfg == nil {
		return nil
	}
	for _, pair := range cfg.Certificates {
		if leaf, err := x509.ParseCertificate(pair.Certificate[0]); err == nil {
			names = append(names, leaf.DNSNames...)
			for _, ip := range leaf.IPAddresses {
				names = append(names, ip.String())
			}
		}
	}
	return names
}

// canonical returns a host name or address in the one form that names are compared in.
func canonical(host string) string {
	if addr, err := netip.ParseAddr(host); err == nil {
		return addr.Unmap().String()
	}
	return strings.ToLower(strings.TrimSuffix(host, "."))
}

// check refuses a Host header that is not ours. A page of another site whose name was made to
// resolve to this machine (DNS rebinding) is stopped here: its browser sends that site's name.
func (h ownNames) check(header string) error {
	host := header
	if name, _, err := net.SplitHostPort(header); err == nil {
		host = name
	}
	host = canonical(strings.Trim(host, "[]"))
	if h.names[host] || IsLoopback(host) {
		return nil
	}
	if _, err := netip.ParseAddr(host); err == nil && h.anyAddress {
		return nil
	}
	if header == "" {
		return errors.New("no Host header: HTTP/1.1 needs one")
	}
	return fmt.Errorf("the Host header %q is no name of this instance: use the address it listens on, or localhost",
		Truncate(redactUser(header)))
}

// checkOrigin refuses requests that a page of another host made. No Origin at all is not a page.
func checkOrigin(origin, host string, tls bool) error {
	scheme := "http://"
	if tls {
		scheme = "https://"
	}
	if origin == "" || strings.EqualFold(origin, scheme+host) {
		return nil
	}
	return fmt.Errorf("the Origin %q is not %s: only pages of this instance may call it", Truncate(redactUser(origin)),
		scheme+redactUser(host))
}

// Truncate keeps what a caller sent from filling an answer.
func Truncate(s string) string {
	const most = 80
	if len(s) > most {
		return s[:most] + "…"
	}
	return s
}

// closeAfterChunked has the connection closed behind the answer to a chunked request over HTTP/1.
// net/http silently drops a Content-Length beside Transfer-Encoding; a proxy that goes by that
// length would take what follows for another request (RFC 9112, 6.1).
func closeAfterChunked(r *http.Request, h http.Header) {
	if r.ProtoMajor == 1 && len(r.TransferEncoding) > 0 {
		h.Set("Connection", "close")
	}
}
