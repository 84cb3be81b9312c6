package cli

import "testing"

func TestAmountsHaveThreeDigits(t *testing.T) {
	for x, want := range map[float64]string{
		0: "0", 1: "1", 999: "999", 0.5: "0.50", 12.34: "12.3", 999.4: "999", 999.6: "1.00k", 1000: "1.00k",
		1234: "1.23k", 12_345: "12.3k",
		99_950: "100k", 123_456: "123k", 999_499: "999k", 999_500: "1.00M", 1.5e9: "1.50G",
		18446744073709551615: "18.4E", 2e21: "2000E",
	} {
		if got := prefixed(x, ""); got != want {
			t.Errorf("%v is %s, want %s", x, got, want)
		}
	}
}
