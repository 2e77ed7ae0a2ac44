package provider

import (
	"fmt"
	"strings"
	"testing"
)

// TestKeysThatStay: what is renewed often has nobody forget what stays.
func TestKeysThatStay(t *testing.T) {
	var k Known
	stays, renewed := k.Source(), k.Source()
	stays("the-key-that-stays")
	for i := range 100 {
		renewed(fmt.Sprintf("renewed-key-%03d", i))
	}
	if got := k.Masked("the-key-that-stays renewed-key-099 renewed-key-001"); strings.Contains(got, "stays") || strings.Contains(got, "099") || !strings.Contains(got, "001") {
		t.Error(got)
	}
}
