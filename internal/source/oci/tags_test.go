package oci

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestTagsAreBounded has registries that list more than is kept: a page of theirs
// may have a million of tags, or few of many letters.
func TestTagsAreBounded(t *testing.T) {
	long := strings.Repeat("x", maxTag)
	for name, c := range map[string]struct {
		reason string
		page   []string
		pages  int
		kept   int
		enough bool
	}{
		"Plain":   {"all are kept", []string{"1.0.0", "1.1.0"}, 2, 4, false},
		"Many":    {"more than anybody looks through", slices.Repeat([]string{"1.0.0"}, 3*maxTags), 1, maxTags, true},
		"Pages":   {"in many pages", slices.Repeat([]string{"1.0.0"}, maxTags/2), 3, maxTags, true},
		"Long":    {"long ones", slices.Repeat([]string{long}, maxTags), 1, maxTagsText / maxTag, true},
		"Invalid": {"what no tag can be", []string{long + "x", "1.0.0", strings.Repeat("x", 1<<20)}, 1, 1, false},
	} {
		t.Run(name, func(t *testing.T) {
			v := &View{}
			var err error
			for range c.pages {
				if err = v.add(c.page); err != nil {
					break
				}
			}
			if len(v.tags) != c.kept || errors.Is(err, errEnough) != c.enough {
				t.Errorf("%s: %s", c.reason, fmt.Sprint(len(v.tags), " are kept: ", err))
			}
		})
	}
}
