package object

import (
	"errors"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func TestRefusals(t *testing.T) {
	forbidden := apierrors.NewForbidden(schema.GroupResource{Resource: "applications"}, "a", errors.New("no rule"))
	type look struct {
		after time.Duration // the first one
		err   error
	}
	for name, tc := range map[string]struct {
		reason string
		looks  []look
		want   error // of the last look; all before are not final
		last   error
	}{
		"First":     {"credentials are read again after it", []look{{0, ErrCredentials}}, nil, ErrCredentials},
		"Restarted": {"roles are not read yet", []look{{0, forbidden}, {time.Second, forbidden}, {29 * time.Second, forbidden}}, nil, forbidden},
		"Stays":     {"nobody mends it within an apply", []look{{0, forbidden}, {30 * time.Second, forbidden}}, forbidden, forbidden},
		"Both":      {"one follows the other while a server starts", []look{{0, ErrCredentials}, {15 * time.Second, forbidden}, {30 * time.Second, forbidden}}, forbidden, forbidden},
		"Answered":  {"it began anew", []look{{0, forbidden}, {29 * time.Second, nil}, {30 * time.Second, forbidden}}, nil, forbidden},
		"Down":      {"the server that refused is another one now", []look{{0, forbidden}, {29 * time.Second, errors.New("cut off")}, {30 * time.Second, forbidden}}, nil, forbidden},
		"Well":      {"it passed", []look{{0, forbidden}, {time.Hour, nil}}, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			begin := time.Now()
			now := begin
			r := NewRefusals(func() time.Time { return now })
			for i, l := range tc.looks {
				now = begin.Add(l.after)
				got := r.Final(l.err)
				if last := i == len(tc.looks)-1; last && !errors.Is(got, tc.want) || !last && got != nil {
					t.Errorf("%s: look %d is final with %v, want %v of the last one", tc.reason, i+1, got, tc.want)
				}
			}
			if !errors.Is(r.Last(), tc.last) {
				t.Errorf("%s: the last refusal is %v, want %v", tc.reason, r.Last(), tc.last)
			}
		})
	}
}
