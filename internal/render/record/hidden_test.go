package record

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/treetest"
)

// lines decrypts a file into the values of its lines.
type lines struct{}

func (lines) Decrypt(_ context.Context, _ string, text []byte) ([]byte, *Encryption, error) {
	return text, &Encryption{Opened: true, Values: strings.Fields(string(text))}, nil
}

// decoys are so many values.
func decoys(n int) string {
	var out strings.Builder
	for i := range n {
		fmt.Fprintf(&out, "decoy-%06d\n", i)
	}
	return out.String()
}

const realSecret = "the-password-of-production"

// TestHidesAllOrRefuses: whoever encrypts decoys for the public key of a repository does
// not have the values shown that are read after them.
func TestHidesAllOrRefuses(t *testing.T) {
	for name, tc := range map[string]struct {
		reason  string
		decoys  int
		most    int64
		refused bool
	}{
		"None":     {"one value", 0, 16 << 20, false},
		"Many":     {"thousands before it", 5_000, 16 << 20, false},
		"TooMany":  {"more than one render may have", 100_000, 16 << 20, true},
		"Short":    {"texts count as what they take", 100, 100 * 64, true},
		"NoBounds": {"a tree without bounds", 5_000, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			limits := Limits{Hidden: bounded.NewBytes(tc.most)}
			if tc.most == 0 {
				limits.Hidden = nil
			}
			files := treetest.Files{"decoys": decoys(tc.decoys), "real": realSecret}
			tree := Wrap(t.Context(), treetest.Snapshot("r", "1", files), limits).Decrypting(lines{})
			_, before := tree.ReadFile("decoys")
			text, err := tree.ReadFile("real")
			if hidden := slices.Contains(tree.Hidden(), realSecret); !tc.refused && (before != nil || err != nil || !hidden) {
				t.Errorf("%s: it is hidden: %t; errors: %v, %v", tc.reason, hidden, before, err)
			}
			var p *gitops.Problem
			if tc.refused && (!errors.As(before, &p) || err == nil || text != nil) {
				t.Errorf("%s: errors: %v, %v", tc.reason, before, err)
			}
			if !tc.refused {
				return
			}
			if told := p.Error() + p.Advice(); !strings.Contains(told, "decoys") || !strings.Contains(told, "split the application") || strings.Contains(told, "decoy-0") {
				t.Errorf("%s: it says %s", tc.reason, told)
			}
			if _, again := tree.ReadFile("decoys"); again == nil {
				t.Errorf("%s: what was refused is read the second time", tc.reason)
			}
		})
	}
}
