package settings

import (
	"errors"
	"log/slog"
	"testing"

	"github.com/weirnet/weir/alarm"
	"github.com/weirnet/weir/netview"
)

// TestBadCertificatesAreAlarmed: until they can be read again.
func TestBadCertificatesAreAlarmed(t *testing.T) {
	view := netview.New(netview.Limits{})
	s := &Settings{base: Base{Log: slog.New(slog.DiscardHandler)}, alarms: alarm.New(view)}
	var bad error
	s.Certificates(func() error { return bad })
	for read, err := range []error{nil, errors.New("cut"), nil} {
		bad = err
		s.reloadCertificates()
		s.alarms.Turn()
		count := 0
		for a := range view.Snapshot().Alarms() {
			if a.Kind == netview.AlarmConfig && a.Active {
				count++
			}
		}
		if (count == 1) != (err != nil) {
			t.Errorf("after reading %d, which ends with %v: %d alarms are shown", read, err, count)
		}
	}
}
