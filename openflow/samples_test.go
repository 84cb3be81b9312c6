package openflow

import (
	"encoding/hex"
	"slices"
	"testing"

	"github.com/weirnet/weir/internal/golden"
)

// A sample is one message of the catalogue that golden text, mutations, fuzz seeds and the outside
// oracles share. The values in it are all different, so that a field in another's place is seen.
type sample struct {
	name string
	v    Version
	m    Message
}

const sampleXID = 0x1a2b3c4d

// samples is the whole catalogue.
func samples() []sample {
	return slices.Concat(helloSamples(), errorSamples(), controlSamples(), portSamples(), queueSamples(), statsSamples(),
		groupMeterSamples(), tableFeaturesSamples(), hotSamples(), actionSamples(), fieldSamples(), monitorSamples())
}

// bytes is the message as its version writes it.
func (s sample) bytes(t testing.TB) []byte {
	t.Helper()
	b, err := Append(nil, s.v, sampleXID, s.m)
	if err != nil {
		t.Fatalf("%s: %v", s.name, err)
	}
	return b
}

// both makes two samples of one kind, one of each version.
func both(name string, make func(v Version) Message) []sample {
	return []sample{{"1.0/" + name, V10, make(V10)}, {"1.3/" + name, V13, make(V13)}}
}

// only13 makes a sample of OpenFlow 1.3.
func only13(name string, m Message) sample { return sample{"1.3/" + name, V13, m} }

// TestSamplesGolden compares the bytes and the text of every sample with testdata/samples: a block
// "sample NAME" has the hexadecimal bytes and then the text.
func TestSamplesGolden(t *testing.T) {
	byName := map[string]sample{}
	for _, s := range samples() {
		if _, twice := byName[s.name]; twice {
			t.Fatalf("two samples %s", s.name)
		}
		byName[s.name] = s
	}
	seen := map[string]bool{}
	golden.Each(t, "testdata/samples", func(t *testing.T, path string) {
		golden.Run(t, path, func(t *testing.T, c *golden.Command) string {
			s, ok := byName[c.Args[0]]
			if !ok {
				t.Fatalf("%s:%d: no sample %s", c.File, c.Line, c.Args[0])
			}
			seen[s.name] = true
			b := s.bytes(t)
			h, m, err := Parse(b)
			if err != nil {
				t.Fatalf("%s: %v", s.name, err)
			}
			return hex.EncodeToString(b) + "\n" + Text(h, m)
		})
	})
	for name := range byName {
		if !seen[name] {
			t.Errorf("sample %s is in no file of testdata/samples: add a block with the line \"sample %s\" and run with -rewrite", name, name)
		}
	}
}

// TestSamplesRoundTrip wants every sample to come out of Parse and Append as it went in.
func TestSamplesRoundTrip(t *testing.T) {
	for _, s := range samples() {
		checkFixedPoint(t, s.name, s.bytes(t), true)
	}
}

// TestSamplesVersions wants Append to refuse, with ErrVersion, or to write what parses, when a
// sample is written in the other version.
func TestSamplesVersions(t *testing.T) {
	for _, s := range samples() {
		other := V10 + V13 - s.v
		b, err := Append(nil, other, sampleXID, s.m)
		if err != nil {
			if !isVersionError(err) {
				t.Errorf("%s in %s: %v", s.name, other, err)
			}
			continue
		}
		if _, _, err := Parse(b); err != nil {
			t.Errorf("%s in %s: %v\n%x", s.name, other, err, b)
		}
	}
}
