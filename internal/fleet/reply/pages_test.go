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

// TestWithin has a list whose pages have no end, and more than one list.
func TestWithin(t *testing.T) {
	for name, tc := range map[string]struct {
		reason, page  string
		bytes, memory int64
		pages         int
		says          string
	}{
		"Bytes":  {"what is read is bounded", strings.Repeat(" ", 1<<20), 10 << 20, 1 << 30, 10, "GET /api/v1/pods in one look with more than 10 MiB"},
		"Memory": {"so is what it takes", string(many("[", "{}", "]", 30_000)), 1 << 30, 10 << 20, 9, "GET /api/v1/pods in one look with more than 10 MiB of memory"},
	} {
		t.Run(name, func(t *testing.T) {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, tc.page) }))
			t.Cleanup(s.Close)
			client, pages := clientOf(t, s, ""), 0
			ctx := Within(t.Context(), tc.bytes, tc.memory)
			one := func(ctx context.Context, _ metav1.ListOptions) (*metav1.PartialObjectMetadataList, error) {
				page, err := pageOf(ctx, client, s.URL+"/api/v1/pods?limit=500")
				if pages != 4 {
					page.Continue = "next"
				}
				return page, err
			}
			count := func(*metav1.PartialObjectMetadataList) { pages++ }
			if err := Pages(Within(ctx, tc.bytes, tc.memory), 500, one, count); err != nil || pages != 5 {
				t.Fatalf("%s: read %d pages of the first list, %v", tc.reason, pages, err)
			}
			err := Pages(Within(ctx, tc.bytes, tc.memory), 500, one, count)
			if over := (*TooLarge)(nil); !errors.As(err, &over) || pages != tc.pages || !strings.Contains(err.Error(), tc.says) {
				t.Errorf("%s: read %d pages, %v", tc.reason, pages, err)
			}
		})
	}
}

func pageOf(ctx context.Context, client *http.Client, address string) (*metav1.PartialObjectMetadataList, error) {
	page := &metav1.PartialObjectMetadataList{}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return page, err
	}
	r.Header.Set("Accept", "application/json")
	got, err := client.Do(r)
	if err != nil {
		return page, err
	}
	defer func() { _ = got.Body.Close() }()
	_, err = io.Copy(io.Discard, got.Body)
	return page, err
}
