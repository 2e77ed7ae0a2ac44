package pushsecret

import (
	"bytes"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/api/externalsecrets/v1alpha1"
)

// TestWholeSecretsTakeLittle: a Secret that is pushed as a whole is made into one value, for however many entries; what has no
// room is an error.
func TestWholeSecretsTakeLittle(t *testing.T) {
	control := map[string][]byte{"key": bytes.Repeat([]byte{1}, 1<<20)} // each byte is six in JSON
	many := map[string][]byte{}
	for i := range 20_000 {
		many[fmt.Sprintf("key-%d", i)] = []byte("v")
	}
	for name, tc := range map[string]struct {
		reason     string
		data       map[string][]byte
		strategies []string
		fails      bool
	}{
		"one":     {"one value for all entries", control, []string{""}, false},
		"three":   {"one for each strategy", control, []string{"", "None", "ReverseUnicode"}, true},
		"of many": {"and so are its keys", many, []string{""}, false},
	} {
		t.Run(name, func(t *testing.T) {
			of := &v1alpha1.PushSecret{}
			for i := range 1024 {
				of.Spec.Data = append(of.Spec.Data, v1alpha1.PushSecretData{
					ConversionStrategy: v1alpha1.ConversionStrategy(tc.strategies[i%len(tc.strategies)]), Match: v1alpha1.Match{RemoteRef: v1alpha1.RemoteRef{RemoteKey: strconv.Itoa(i)}},
				})
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			all, err := (&Reconciler{}).turn(of).explicit(source{name: "source", data: tc.data})
			runtime.ReadMemStats(&after)
			if took := after.TotalAlloc - before.TotalAlloc; took > 128<<20 {
				t.Errorf("%s: it takes %d MiB", tc.reason, took>>20)
			}
			if failed := err != nil && strings.Contains(err.Error(), "more than 16 MiB"); failed != tc.fails || !failed && (err != nil || len(all) != 1024) {
				t.Errorf("%s: it is %d entries, %v", tc.reason, len(all), err)
			}
		})
	}
}
