package local_test

import (
	"testing"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/cluster/local"
)

// BenchmarkForwarded asks the owner of three instances, and one that stands by, for the same, one request at a time.
func BenchmarkForwarded(b *testing.B) {
	c, err := local.Start(b.Context(), &local.Config{Instances: 3, Dir: b.TempDir(), Args: []string{"--log-level=warn"}})
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	read := func(at *client.Client) error { _, err := at.Links(b.Context()); return err }
	write := func(at *client.Client) error {
		m, err := at.AddToken(b.Context(), client.TokenRequest{Name: "bench", Role: "viewer"})
		if err == nil {
			err = at.RemoveToken(b.Context(), m.Name)
		}
		return err
	}
	for _, one := range []struct {
		name string
		ask  func(*client.Client) error
		at   *local.Instance
	}{
		{"read/owner", read, c.Instances[0]}, {"read/standby", read, c.Instances[1]},
		{"write/owner", write, c.Instances[0]}, {"write/standby", write, c.Instances[1]},
	} {
		b.Run(one.name, func(b *testing.B) {
			for one.ask(one.at.Client()) != nil { // until its token holds
			}
			for b.Loop() {
				if err := one.ask(one.at.Client()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
