package cert

import (
	"crypto/x509"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// scheme of the URIs that name datapath ids.
const scheme = "openflow"

// Errors of Check.
var (
	// ErrUnnamed: a certificate names no datapath id.
	ErrUnnamed = errors.New("certificate names no datapath id")
	// ErrOther: a certificate names other datapath ids than the switch.
	ErrOther = errors.New("certificate is of another datapath id")
)

func datapathURI(id uint64) *url.URL {
	return &url.URL{Scheme: scheme, Opaque: fmt.Sprintf("%016x", id)}
}

// Datapaths are the ids that a certificate names, none if it names none.
func Datapaths(c *x509.Certificate) ([]uint64, error) {
	var ids []uint64
	for _, u := range c.URIs {
		if u.Scheme != scheme {
			continue
		}
		id, err := parseDatapath(u)
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, nil
}

// parseDatapath reads openflow: and 16 hexadecimal digits, and nothing else.
func parseDatapath(u *url.URL) (uint64, error) {
	id, err := strconv.ParseUint(u.Opaque, 16, 64)
	if err != nil || len(u.Opaque) != 16 || u.String() != scheme+":"+u.Opaque || strings.ContainsAny(u.Opaque, "+-_") {
		return 0, fmt.Errorf("certificate has the URI %q, want %s: and 16 hexadecimal digits", u, scheme)
	}
	return id, nil
}

// Check reports whether a switch with this certificate may have a datapath id: it must be one of
// those that the certificate names. One that names none is refused with ErrUnnamed, unless unnamed
// allows it; one that an instance shows to other instances with ErrPeer.
func Check(c *x509.Certificate, datapath uint64, unnamed bool) error {
	ids, err := Datapaths(c)
	switch {
	case err != nil:
		return err
	case IsPeer(c):
		return fmt.Errorf("%w (subject %q)", ErrPeer, c.Subject.CommonName)
	case len(ids) == 0 && unnamed, slices.Contains(ids, datapath):
		return nil
	case len(ids) == 0:
		return fmt.Errorf("%w (subject %q)", ErrUnnamed, c.Subject.CommonName)
	}
	return fmt.Errorf("%w: the switch says %016x, the certificate names %016x", ErrOther, datapath, ids)
}

// CheckTime reports whether a certificate is valid at a time, and if not since or from when.
func CheckTime(c *x509.Certificate, now time.Time) error {
	switch {
	case now.Before(c.NotBefore):
		return fmt.Errorf("certificate is not valid before %s", c.NotBefore.UTC().Format(time.RFC3339))
	case now.After(c.NotAfter):
		return fmt.Errorf("certificate has expired at %s", c.NotAfter.UTC().Format(time.RFC3339))
	}
	return nil
}
