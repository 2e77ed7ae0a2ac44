package reply

import (
	"context"
	"errors"
	"fmt"
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
		pages  int
		want   []int64
		err    bool
	}{
		"Small": {"pages that fit are read as they are", 500, 2, []int64{500, 500}, false},
		"Large": {"one that is too large is read in smaller ones, and those after it grow", 150, 3, []int64{500, 62, 124, 248, 31}, false},
		"Dense": {"what was too much is not tried again at once", 20, 13, []int64{500, 62, 7, 14, 28, 3, 6, 12, 24, 3, 6, 12, 12, 12, 12, 12, 12}, false},
		"One":   {"an object that does not fit is an error", 0, 1, []int64{500, 62, 7, 1}, true},
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
				if taken+1 < tc.pages {
					page.Continue = "next"
				}
				return page, nil
			}, func(*metav1.PartialObjectMetadataList) { taken++ })
			if (err != nil) != tc.err || !slices.Equal(asked, tc.want) || !tc.err && taken != tc.pages {
				t.Errorf("%s: asked for %d, took %d, %v", tc.reason, asked, taken, err)
			}
		})
	}
}

// TestFewLargeObjects has some of 20,000 objects lie beside one another that are
// so large that a page has few of them.
func TestFewLargeObjects(t *testing.T) {
	const all, large, from, ofLarge, ofSmall, most = 20_000, 9, 100, 20 << 20, 2 << 10, 128 << 20
	requests, seen := 0, 0
	err := Pages(t.Context(), 500, func(_ context.Context, o metav1.ListOptions) (*metav1.PartialObjectMetadataList, error) {
		requests++
		takes, to := 0, min(all, seen+int(o.Limit))
		for i := seen; i < to; i++ {
			takes += ofSmall
			if i >= from && i < from+large {
				takes += ofLarge
			}
		}
		if takes > most {
			return nil, &TooLarge{}
		}
		page := &metav1.PartialObjectMetadataList{}
		if seen = to; seen < all {
			page.Continue = "next"
		}
		return page, nil
	}, func(*metav1.PartialObjectMetadataList) {})
	if err != nil || seen != all || requests > 80 {
		t.Errorf("%d objects take %d requests, %v", seen, requests, err)
	}
}

// TestRefusedTakesNothing has a page that is too large read in smaller ones: it
// takes nothing of what the whole list may have.
func TestRefusedTakesNothing(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		size := 5 << 20 // more than one answer may have in memory
		if r.URL.Query().Get("limit") != "500" {
			size = 1 << 10
		}
		_, _ = w.Write(many("[", "{}", "]", size))
	}))
	t.Cleanup(s.Close)
	client, pages := clientOf(t, s, ""), 0
	err := Pages(Within(t.Context(), 1<<30, 130<<20), 500, func(ctx context.Context, o metav1.ListOptions) (*metav1.PartialObjectMetadataList, error) {
		page, err := pageOf(ctx, client, fmt.Sprintf("%s/api/v1/pods?limit=%d", s.URL, o.Limit))
		if pages < 5 {
			page.Continue = "next"
		}
		return page, err
	}, func(*metav1.PartialObjectMetadataList) { pages++ })
	if err != nil || pages != 6 {
		t.Errorf("read %d pages, %v", pages, err)
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
