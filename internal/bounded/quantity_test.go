package bounded

import (
	"strings"
	"testing"
)

func TestQuantities(t *testing.T) {
	for text, want := range map[string]bool{
		"": true, "1": true, "100m": true, "1.5Gi": true, "1e3": true, "1E6": true, "1e+308": true, "-1e-9": true, "1Ei": true, "12E": true, "a1e99999": true, "1.2.3": true, "10.0.0.0/8": true,
		"1e4000": false, "1E400000000": false, "12345678901234567890e100000": false, "1e-99999": false, ".e9999": false, "1e+0000000400": false,
		strings.Repeat("1", 257): false, strings.Repeat("1", 257) + "Gi": false, strings.Repeat("1", 300) + " of these": true,
		"1e99999 of these": true,
	} {
		if got := QuantityFits(text); got != want {
			t.Errorf("%.40q fits: %v, want %v", text, got, want)
		}
	}
	object := func(text string) any {
		return map[string]any{"a": []any{int64(1), map[string]any{"b": "1e99999 of these", "c": text}}}
	}
	if !QuantitiesFit(object("100m")) || QuantitiesFit(object("1e99999")) {
		t.Error("of an object not all texts are looked at")
	}
}
