package local

import "testing"

func TestPorts(t *testing.T) {
	for i, want := range []string{"127.0.0.1:6653", "127.0.0.1:6663", "127.0.0.1:6673"} {
		if got, err := address("127.0.0.1:6653", i); got != want || err != nil {
			t.Errorf("%s, %v, want %s", got, err, want)
		}
	}
}
