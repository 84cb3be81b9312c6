package streams

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// certificates are those that the other end has shown, its own first.
type certificates = []*x509.Certificate

var (
	errNoCert      = errors.New("no certificate was shown that the port has verified: want one as weir cert peer makes")
	errForeignBeat = errors.New("heartbeat of another instance, or of its previous life")
)

// Handler answers the calls of other instances, at Path of the peer port. Where TLS is spoken the port has to be served
// with Config.TLS.Server().
func (s *Streams) Handler() http.Handler { return called{s} }

// called answers calls.
type called struct{ s *Streams }

// ServeHTTP takes a connection over, or refuses it with one line that says why.
func (d called) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s := d.s
	c, status, err := d.accept(w, r)
	if err != nil && status != 0 {
		s.counts.refusals.Add(1)
		d.log(r.RemoteAddr, err)
		http.Error(w, err.Error(), status)
		return
	}
	if err == nil {
		err = s.attach(c)
	}
	if err != nil {
		s.cfg.Log.Debug("a connection of another instance did not last", "from", r.RemoteAddr, "error", err)
	}
}

// log logs a refusal: the same one once a minute, since who is refused calls again.
func (d called) log(from string, err error) {
	s, now := d.s, time.Now()
	s.mu.Lock()
	age := now.Sub(s.refused)
	fresh := age > time.Minute || s.refusal != err.Error() && age > logEvery
	if fresh {
		s.refusal, s.refused = err.Error(), now
	}
	s.mu.Unlock()
	if fresh {
		s.cfg.Log.Warn("refused another instance", "from", from, "error", err)
	}
}

// accept does the handshake of a call. With a status it is refused; without one the connection has ended.
func (d called) accept(w http.ResponseWriter, r *http.Request) (c *conn, status int, err error) {
	s := d.s
	if r.Method != http.MethodGet || !strings.EqualFold(r.Header.Get("Upgrade"), protocol) {
		return nil, http.StatusUpgradeRequired, fmt.Errorf("%s is for instances of a cluster: want GET with the header Upgrade: %s",
			Path, protocol)
	}
	h, err := parseHello(r.Header)
	if err != nil {
		return nil, http.StatusBadRequest, err
	}
	version, err := s.judge(&h)
	if err == nil {
		err = s.own.called(&h)
	}
	if err == nil && s.cfg.TLS != nil {
		err = d.checkCaller(&h, r.TLS)
	}
	if err != nil {
		return nil, http.StatusForbidden, err
	}
	if s.runsTwice(&h) {
		return nil, http.StatusConflict, fmt.Errorf("%s runs twice, or the process before has not ended yet", instance(h.name, h.life.ID))
	}
	nc, rw, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return nil, http.StatusInternalServerError, err
	}
	if err = nc.SetDeadline(time.Now().Add(s.cfg.HandshakeTimeout)); err == nil {
		own := hello{s.own.cluster, s.own.life, s.own.name, versions{version, version}, h.lane, h.life.ID}
		answer := http.Response{StatusCode: http.StatusSwitchingProtocols, ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{}}
		own.fill(answer.Header)
		err = answer.Write(nc)
	}
	if err == nil {
		err = nc.SetDeadline(time.Time{})
	}
	if err != nil {
		nc.Close()
		return nil, 0, err
	}
	return newConn(s, h.life.ID, h.life, h.lane, nc, h.lane.reader(rw.Reader)), 0, nil
}

// checkCaller reports whether the certificate of a call is that of who calls.
func (d called) checkCaller(h *hello, state *tls.ConnectionState) error {
	p, ok := d.s.listed(h.life.ID)
	if !ok {
		return errRemoved
	}
	if state == nil || len(state.VerifiedChains) == 0 { // whatever the port's TLS lets through
		return errNoCert
	}
	return p.checkCert(state.PeerCertificates)
}

// printable is a text on one line, without what a terminal would obey.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) && r != utf8.RuneError {
			return r
		}
		return ' '
	}, strings.TrimSpace(s))
}
