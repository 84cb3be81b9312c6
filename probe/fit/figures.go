package fit

import (
	"time"

	"github.com/weirnet/weir/emu/profile"
)

// Names of the parts of a profile that Figures are for.
const (
	PartInstall    = "install"
	PartPacketIn   = "packet_in"
	PartPacketOut  = "packet_out"
	PartStatistics = "statistics"
	PartTables     = "tables"
)

// Parts are all of them, in the order of a profile.
func Parts() []string {
	return []string{PartInstall, PartPacketIn, PartPacketOut, PartStatistics, PartTables}
}

// Figures are what was measured of one switch by its controller.
type Figures struct {
	RoundTrip  []time.Duration // of barriers with nothing before them
	Install    []Timed
	PacketIn   []Burst
	PacketOut  []Burst
	Statistics []Timed
	Tables     profile.Tables // a number is 0 where no end was found
	// Missing is why a part was not measured, by its name.
	Missing map[string]error
}

// Fitted are the parts of a profile that come of Figures.
type Fitted struct {
	profile.Profile                    // of which only the parts that Figures are for
	Quality         map[string]Quality // of the parts that there are
	Missing         map[string]error   // why there is none of the others
}

// Fit finds the parts of a profile.
func (f *Figures) Fit() *Fitted {
	out := &Fitted{Quality: map[string]Quality{}, Missing: map[string]error{}}
	take := func(part string, fit func() (Quality, error)) {
		err := f.Missing[part]
		var q Quality
		if err == nil {
			q, err = fit()
		}
		if err != nil {
			out.Missing[part] = err
			return
		}
		out.Quality[part] = q
	}
	trip := quantile(f.RoundTrip, 0.5)
	take(PartInstall, func() (q Quality, err error) { out.Install, q, err = Install(f.Install); return q, err })
	take(PartPacketIn, func() (q Quality, err error) { out.PacketIn, q, err = Rate(PartPacketIn, f.PacketIn); return q, err })
	take(PartPacketOut, func() (q Quality, err error) { out.PacketOut, q, err = Rate(PartPacketOut, f.PacketOut); return q, err })
	take(PartStatistics, func() (q Quality, err error) {
		out.Profile.Statistics, q, err = Statistics(f.Statistics, trip)
		return q, err
	})
	take(PartTables, func() (Quality, error) {
		out.Tables = f.Tables
		out.Tables.Source = profile.Measured
		return Quality{}, nil // counted
	})
	return out
}
