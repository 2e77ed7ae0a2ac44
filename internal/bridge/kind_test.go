package bridge

import (
	"testing"
)

// What a value looks like decides by what it is replaced, and what people are told.
func TestTypesOfValues(t *testing.T) {
	cases := map[string]struct {
		reason string
		want   Type
		values []string
	}{
		"Booleans": {"those that YAML and Go agree on", TypeBoolean, []string{"true", "false"}},
		"Integers": {"up to 18 digits", TypeInteger, []string{"0", "-3", "+3", "007", "999999999999999999"}},
		"Numbers":  {"what an integer cannot be", TypeNumber, []string{"1.5", ".5", "5.", "-1e3", "1000000000000000000", "1E-7"}},
		"ARNs":     {"a text with colons is none", TypeARN, []string{"arn:aws:iam::123456789012:role/x", "arn:aws-cn:s3:::bucket", "arn:aws:iam::aws:policy/x"}},
		"CIDRs":    {"of both families", TypeCIDR, []string{"10.0.0.0/8", "10.0.0.1/32", "fd00::/8", "::/0"}},
		"URLs":     {"of any scheme", TypeURL, []string{"https://a", "oci://a/b", "git+ssh://git@a/b", "https://a?b", "https://a#b"}},
		"JSON":     {"objects and lists", TypeJSON, []string{`{}`, ` [1] `, "{\n\"a\": null}"}},
		"Texts": {"all else", TypeString, []string{
			"", "True", "yes", "0x3", "1 ", "1,5", "NaN", "1e999", "arn:aws:iam::12:role/x", "10.0.0.0", "10.0.0.0/33", "::ffff:10.0.0.0/104", "fe80::1%eth0/64",
			"https://", "https://a b", "git@host:a/b", `"text"`, "null", "{a: 1}", `{"a":1`, "été", "1\n",
		}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			for _, value := range tc.values {
				if got := GuessType(value); got != tc.want {
					t.Errorf("%s: %q is taken for %s", tc.reason, value, got)
				}
				if !tc.want.Is(value) || !TypeString.Is(value) || !Type("").Is(value) {
					t.Errorf("%s: %q is no %s, or no text", tc.reason, value, tc.want)
				}
			}
		})
	}
	if Type("date").Is("2026-01-01") {
		t.Error("a type that there is not takes a value")
	}
}
