package fit

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/weirnet/weir/emu/profile"
)

// Names of the parts of a profile that are measured from outside of a switch.
const (
	PartFlowSetup   = "flow_setup"
	PartPathLatency = "path_latency"
	PartLoad        = "load"
)

// Sized is how long packets of one payload took.
type Sized struct {
	Payload int // bytes
	Took    []time.Duration
}

// Median is that of the times.
func (s *Sized) Median() time.Duration { return quantile(s.Took, 0.5) }

// Loaded is how long packets took, there and back, while so much else left by the same port.
type Loaded struct {
	RateBPS uint64
	OneWay  bool // nothing else left by the port of the way back
	Sizes   []Sized
}

// share is what load does to one way, of what it does to both together.
func (l *Loaded) share(times float64) float64 {
	if l.OneWay {
		return max(2*times-1, 0)
	}
	return times
}

// Both is what a factor of one way makes of the time there and back.
func (l *Loaded) Both(times float64) float64 {
	if l.OneWay {
		return (times + 1) / 2
	}
	return times
}

// minForChance is how many times of one payload tell the time that nine in ten stay below.
const minForChance = 10

// PathLatency finds a path latency: medians, and one multiple of them, which nine in ten times of
// each payload stay below. The Quality's residual is how far they are from that.
func PathLatency(sizes []Sized) (profile.Latency, Quality, error) {
	l, q, err := latency(sizes)
	if err != nil {
		err = fmt.Errorf("%s: %w", PartPathLatency, err)
	}
	return l, q, err
}

// FlowSetup finds what a new flow takes; each time is of two flows, there and back, and controller
// is what the controller took of single ones, of which no more than half of the shortest set-up is
// believed.
func FlowSetup(sizes []Sized, controller []time.Duration) (profile.Setup, Quality, error) {
	l, q, err := latency(sizes)
	if err != nil {
		return profile.Setup{}, q, fmt.Errorf("%s: %w", PartFlowSetup, err)
	}
	share := profile.MaxDelay
	for _, p := range l.Points {
		share = min(share, p.Delay/2)
	}
	return profile.Setup{Latency: l, Controller: min(seconds(quantile(controller, 0.5).Seconds()), share)}, q, nil
}

// latency finds medians and a multiple.
func latency(sizes []Sized) (l profile.Latency, q Quality, err error) {
	l.Source = profile.Measured
	var ratios, shares []float64
	for i := range sizes {
		s := &sizes[i]
		if len(s.Took) == 0 {
			continue
		}
		if n := len(l.Points); s.Payload < 1 || s.Payload > profile.MaxPayload || n > 0 && s.Payload <= l.Points[n-1].Payload {
			return profile.Latency{}, q, fmt.Errorf("%w: payload %d given, want bytes from 1 to %d, in order", ErrTooFew, s.Payload,
				profile.MaxPayload)
		}
		median := seconds(max(s.Median(), 0).Seconds())
		l.Points = append(l.Points, profile.Point{Payload: s.Payload, Delay: median})
		if nine := quantile(s.Took, 0.9); len(s.Took) >= minForChance && median > 0 && nine > 0 {
			ratios = append(ratios, math.Log(float64(nine)/float64(median)))
			shares = append(shares, float64(median)/float64(nine))
		}
	}
	if len(l.Points) == 0 || len(l.Points) > profile.MaxPoints {
		return profile.Latency{}, q, fmt.Errorf("%w: times of %d payloads given, want 1 to %d", ErrTooFew, len(l.Points),
			profile.MaxPoints)
	}
	q.Points = len(l.Points)
	if len(ratios) == 0 {
		return l, q, nil
	}
	if times := round3(min(math.Exp(mean(ratios)), maxChance)); times > 1 {
		l.P90 = times
	}
	for _, s := range shares {
		off := 1 - max(l.P90, 1)*s
		q.Residual += off * off / float64(len(shares))
	}
	q.Residual = math.Sqrt(q.Residual)
	return l, q, nil
}

// maxChance is the greatest multiple that a profile can have.
const maxChance = 10

func mean(list []float64) float64 {
	sum := 0.0
	for _, v := range list {
		sum += v
	}
	return sum / float64(len(list))
}

// round3 leaves three digits behind the point.
func round3(v float64) float64 { return math.Round(v*1000) / 1000 }

// Load finds what load makes of a path latency, for each payload: the median under load in terms of
// that without. A queue at a port makes nothing faster. So where some are, by more than MaxResidual
// altogether, it is the load of the whole switch that counts, both ways: the factors are as they were
// measured. Else those of a port are not below 1 and do not fall with the rate, and the Quality's
// residual is how far that is from what was measured. A payload without a figure at one of the rates
// has none. The error wraps ErrTooFew.
func Load(base []Sized, loads []Loaded) (profile.Load, Quality, error) {
	loads = slices.SortedFunc(slices.Values(loads), func(a, b Loaded) int { return cmp.Compare(a.RateBPS, b.RateBPS) })
	payloads := common(base, loads)
	if len(payloads) == 0 || len(payloads) > profile.MaxPoints || len(loads) > profile.MaxPoints {
		return profile.Load{}, Quality{}, fmt.Errorf("%s: %w: %d payloads given that were measured without load and at all of %d rates, want one at least",
			PartLoad, ErrTooFew, len(payloads), len(loads))
	}
	for i, load := range loads {
		if rate := load.RateBPS; rate < minRateBPS || rate > profile.MaxRateBPS || i > 0 && rate == loads[i-1].RateBPS {
			return profile.Load{}, Quality{}, fmt.Errorf("%s: %w: rate %d given, want bits a second from %d to %d, each once", PartLoad,
				ErrTooFew, rate, minRateBPS, uint64(profile.MaxRateBPS))
		}
	}
	l, q := loadOf(false, payloads, base, loads)
	if q.Residual > MaxResidual {
		l, q = loadOf(true, payloads, base, loads)
	}
	return l, q, nil
}

// loadOf finds the factors of a port's load, or of a whole switch's.
func loadOf(whole bool, payloads []int, base []Sized, loads []Loaded) (profile.Load, Quality) {
	l := profile.Load{Switch: whole, Source: profile.Measured}
	var q Quality
	lowest := 1.0
	if whole {
		lowest = profile.LeastTimes
	}
	least := slices.Repeat([]float64{lowest}, len(payloads))
	for i := range loads {
		load := loads[i]
		load.OneWay = load.OneWay && !whole
		p := profile.LoadPoint{RateBPS: load.RateBPS}
		var logs []float64
		for j, payload := range payloads {
			found := medianOf(load.Sizes, payload).Seconds() / medianOf(base, payload).Seconds()
			times := round3(min(max(load.share(found), least[j]), profile.MaxTimes))
			off := load.Both(times)/found - 1
			q.Residual += off * off
			q.Points++
			if !whole {
				least[j] = times
			}
			p.Sizes = append(p.Sizes, profile.Factor{Payload: payload, Times: times})
			logs = append(logs, math.Log(times))
		}
		p.Times = max(round3(math.Exp(mean(logs))), lowest)
		if !whole && i > 0 {
			p.Times = max(p.Times, l.Points[i-1].Times)
		}
		l.Points = append(l.Points, p)
	}
	q.Residual = math.Sqrt(q.Residual / float64(q.Points))
	return l, q
}

// minRateBPS is the least rate that a profile can have.
const minRateBPS = 1000

// common are the payloads that have a time without load and at every rate.
func common(base []Sized, loads []Loaded) (payloads []int) {
	if len(loads) == 0 {
		return nil
	}
	for i := range base {
		payload := base[i].Payload
		ok := payload >= 1 && payload <= profile.MaxPayload && medianOf(base, payload) > 0 &&
			(len(payloads) == 0 || payload > payloads[len(payloads)-1])
		for j := range loads {
			ok = ok && medianOf(loads[j].Sizes, payload) > 0
		}
		if ok {
			payloads = append(payloads, payload)
		}
	}
	return payloads
}

// medianOf is the median at a payload; 0 if there is none.
func medianOf(sizes []Sized, payload int) time.Duration {
	i := slices.IndexFunc(sizes, func(s Sized) bool { return s.Payload == payload })
	if i < 0 {
		return 0
	}
	return sizes[i].Median()
}

// Devices finds what the devices of the machine take where an emulated switch is between them: what
// was seen of a twin at each payload beside what was to be seen, with what was taken off so far. What
// is off counts gain times: 1, or less to average over several twins, or twice that where they are the
// devices of one way only. A payload that is not among seen keeps what it has.
func Devices(wanted []profile.Point, seen []Sized, before []profile.Point, gain float64) []profile.Point {
	var devices []profile.Point
	had := profile.Latency{Devices: before}
	for _, p := range wanted {
		d := had.DevicesAt(p.Payload)
		if got := medianOf(seen, p.Payload); got > 0 {
			d = min(max(d+time.Duration(gain*float64(got-p.Delay)), 0), p.Delay)
		}
		devices = append(devices, profile.Point{Payload: p.Payload, Delay: d.Round(time.Microsecond)})
	}
	if slices.IndexFunc(devices, func(p profile.Point) bool { return p.Delay > 0 }) < 0 {
		return nil
	}
	return devices
}

// InstallTime is how long so many entries and a barrier take a switch, besides the barrier's round
// trip.
func InstallTime(i profile.Install, entries int) time.Duration {
	took := time.Duration(batches(entries, max(i.Batch, 1))) * i.Delay
	if i.PerSecond > 0 {
		took += time.Duration(float64(entries) / i.PerSecond * float64(time.Second))
	}
	return took
}

// StatisticsTime is how long an answer with so many entries takes a switch, besides its round trip.
func StatisticsTime(s profile.Statistics, entries int) time.Duration {
	return s.Delay + time.Duration(entries)*s.Entry
}
