package apply

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

type named struct{ Cluster }

func (named) Server() string { return "https://spoke.test" }

// TestRefusalsAreKeptBriefly has API servers write megabytes into what they
// refuse. What is kept of it is little, and says the same to who asks.
func TestRefusalsAreKeptBriefly(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	causes := make([]metav1.StatusCause, 1000)
	for i := range causes {
		causes[i] = metav1.StatusCause{Type: metav1.CauseTypeFieldValueInvalid, Message: long[:1000], Field: long[:1000]}
	}
	status := func(code int32, reason metav1.StatusReason, message string) *apierrors.StatusError {
		return &apierrors.StatusError{ErrStatus: metav1.Status{
			Status: metav1.StatusFailure, Code: code, Reason: reason, Message: message + long,
			Details: &metav1.StatusDetails{Name: "web" + long, Group: long, Kind: long, RetryAfterSeconds: 7, Causes: causes},
		}}
	}
	secret := &gitops.Action{Key: gitops.Key{Kind: "Secret", Name: "web"}}
	web := &gitops.Action{Key: gitops.Key{Kind: "Service", Name: "web"}}
	cases := map[string]struct {
		reason string
		action *gitops.Action
		err    error
	}{
		"invalid":      {"it repeats the object", web, status(http.StatusUnprocessableEntity, metav1.StatusReasonInvalid, "spec: ")},
		"immutable":    {"with what would have to change", web, &immutableError{err: status(http.StatusUnprocessableEntity, metav1.StatusReasonInvalid, "spec is immutable: "), changes: []string{"spec"}}},
		"conflict":     {"somebody else wrote", web, status(http.StatusConflict, metav1.StatusReasonConflict, "")},
		"forbidden":    {"names of accounts and kinds are the server's word", web, status(http.StatusForbidden, metav1.StatusReasonForbidden, `User "`+long+`" cannot get resource "`+long+`"`)},
		"unauthorized": {"no credential", web, status(http.StatusUnauthorized, metav1.StatusReasonUnauthorized, "")},
		"too many":     {"with the time to come again", web, status(http.StatusTooManyRequests, metav1.StatusReasonTooManyRequests, "")},
		"not found":    {"the object or its namespace", web, status(http.StatusNotFound, metav1.StatusReasonNotFound, "")},
		"webhook":      {"so is the name of a webhook", web, status(http.StatusInternalServerError, metav1.StatusReasonInternalError, `failed calling webhook "`+long+`"`)},
		"typed":        {"what server-side apply cannot read", web, status(http.StatusInternalServerError, metav1.StatusReasonInternalError, "failed to create typed patch object (x): .spec: ")},
		"odd":          {"a reason that nobody knows", secret, status(http.StatusTeapot, metav1.StatusReason(long), "")},
		"secret":       {"of Secrets nothing is kept but words", secret, status(http.StatusForbidden, metav1.StatusReasonForbidden, "")},
		"no status":    {"what is no answer of an API server", web, fmt.Errorf("cannot read %s: %w", long, context.DeadlineExceeded)},
		"problem":      {"what was told before", web, gitops.Problemf(gitops.NotReady, "its kind is %s: %w", long, status(http.StatusConflict, metav1.StatusReasonConflict, "")).Do("see " + long)},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			p := problem("apply", tc.action, named{}, tc.err)
			if told := len(p.Error()); told > 2<<10 {
				t.Errorf("%s: %d bytes are told", tc.reason, told)
			}
			if kept := weight(t, p); kept > 4<<10 {
				t.Errorf("%s: %d bytes are kept", tc.reason, kept)
			}
			if tc.action == secret {
				return
			}
			for what, is := range answers {
				if is(tc.err) != is(p) {
					t.Errorf("%s: %s is %t of what is kept", tc.reason, what, is(p))
				}
			}
		})
	}
}

// TestRefusalsOfFixedFieldsQuoteNothing has API servers write how the object is in
// the cluster, where it could not be found out which fields would have to change.
func TestRefusalsOfFixedFieldsQuoteNothing(t *testing.T) {
	status := func(causes ...metav1.StatusCause) error {
		return &apierrors.StatusError{ErrStatus: metav1.Status{
			Code: http.StatusUnprocessableEntity, Reason: metav1.StatusReasonInvalid,
			Message: "spec: Forbidden: pod updates may not change fields other than spec.tolerations\n{env: hunter2}", Details: &metav1.StatusDetails{Causes: causes},
		}}
	}
	cases := map[string]struct {
		reason string
		err    error
		want   string
	}{
		"Fields": {"those that it names", status(metav1.StatusCause{Field: "spec.a", Message: "Invalid value: hunter2: field is immutable"}, metav1.StatusCause{Field: "<nil>"}, metav1.StatusCause{Field: "spec.b"}), "spec.a, spec.b"},
		"None":   {"what it says before that", status(), "spec: Forbidden: pod updates may not change fields other than spec.tolerations"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			text := problem("update", &gitops.Action{Key: gitops.Key{Kind: "Pod", Name: "web"}}, named{}, tc.err).Error()
			if !strings.Contains(text, "it has fields that cannot be changed: "+tc.want+"; ") || strings.Contains(text, "hunter") {
				t.Errorf("%s: it says %s", tc.reason, text)
			}
		})
	}
}

// answers are what callers ask of an error.
var answers = map[string]func(error) bool{
	"Invalid": apierrors.IsInvalid, "Conflict": apierrors.IsConflict, "Forbidden": apierrors.IsForbidden, "Unauthorized": apierrors.IsUnauthorized,
	"TooManyRequests": apierrors.IsTooManyRequests, "NotFound": apierrors.IsNotFound, "InternalError": apierrors.IsInternalError,
	"Deadline": func(err error) bool { return errors.Is(err, context.DeadlineExceeded) },
	"Delay":    func(err error) bool { seconds, ok := apierrors.SuggestsClientDelay(err); return ok && seconds == 7 },
}

// weight is the length of all texts of an error and of those within it.
func weight(t *testing.T, err error) int {
	t.Helper()
	switch err := err.(type) { //nolint:errorlint // each one is looked at
	case nil:
		return 0
	case *gitops.Problem:
		return len(err.What) + len(err.Fix) + weight(t, err.Err)
	case *apierrors.StatusError:
		text, _ := json.Marshal(err.ErrStatus) //nolint:errchkjson // texts always encode
		return len(text)
	case interface{ Unwrap() []error }:
		all := 0
		for _, one := range err.Unwrap() {
			all += weight(t, one)
		}
		return all
	}
	return len(err.Error()) + weight(t, errors.Unwrap(err))
}
