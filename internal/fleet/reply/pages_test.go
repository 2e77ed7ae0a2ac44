package reply

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestPages has objects of which few fit into an answer.
func TestPages(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		fit    int64 // objects in an answer
		want   []int64
		err    bool
	}{
		"Small": {"pages that fit are read as they are", 500, []int64{500, 500}, false},
		"Large": {"one that is too large is read in smaller ones, and so are those after it", 100, []int64{500, 62, 62}, false},
		"One":   {"an object that does not fit is an error", 0, []int64{500, 62, 7, 1}, true},
	} {
		t.Run(name, func(t *testing.T) {
			var asked []int64
			taken := 0
			err := Pages(t.Context(), 500, func(_ context.Context, o metav1.ListOptions) (*metav1.PartialObjectMetadataList, error) {
				asked = append(asked, o.Limit)
				if o.Limit > tc.fit {
					return nil, &TooLarge{}
				}
				page := &metav1.PartialObjectMetadataList{}
				if o.Continue == "" {
					page.Continue = "next"
				}
				return page, nil
			}, func(*metav1.PartialObjectMetadataList) { taken++ })
			if (err != nil) != tc.err || !slices.Equal(asked, tc.want) || !tc.err && taken != 2 {
				t.Errorf("%s: asked for %d, took %d, %v", tc.reason, asked, taken, err)
			}
		})
	}
}

// TestWithin has a list whose pages have no end.
func TestWithin(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(strings.Repeat(" ", 1<<20)))
	}))
	t.Cleanup(s.Close)
	client, pages := clientOf(t, s, ""), 0
	err := Pages(Within(t.Context(), 10<<20), 500, func(ctx context.Context, _ metav1.ListOptions) (*metav1.PartialObjectMetadataList, error) {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL+"/api/v1/pods?limit=500", nil)
		if err != nil {
			return nil, err
		}
		got, err := client.Do(r)
		if err != nil {
			return nil, err
		}
		defer func() { _ = got.Body.Close() }()
		page := &metav1.PartialObjectMetadataList{}
		page.Continue = "next"
		_, err = io.Copy(io.Discard, got.Body)
		return page, err
	}, func(*metav1.PartialObjectMetadataList) { pages++ })
	var over *TooLarge
	if !errors.As(err, &over) || pages != 10 || !strings.Contains(err.Error(), "GET /api/v1/pods in all pages with more than 10 MiB") {
		t.Errorf("read %d pages, %v", pages, err)
	}
}
