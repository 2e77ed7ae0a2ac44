package externalsecret

import (
	"crypto/sha256"
	"crypto/sha3"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
)

// mostShared bounds how old a value may be that was read for others.
const mostShared = 15 * time.Second

// shared is how old it may be: a small part of the interval.
func shared(one *esv1.ExternalSecret) time.Duration {
	return min(mostShared, max(0, one.Interval()/10)) //nolint:mnd // a tenth
}

// due reports whether values are fetched now, and else when, if ever.
func (r *Reconciler) due(one *esv1.ExternalSecret, there *corev1.Secret) (now bool, at time.Time) {
	status := one.Status
	never := status.SyncedResourceVersion == "" || status.RefreshTime.IsZero()
	changed := status.SyncedResourceVersion != syncedVersion(one) && status.SyncedResourceVersion != operatorsVersion(one)
	switch {
	case never:
		return true, time.Time{}
	case fixed(one, there):
		return false, time.Time{}
	}
	var mends time.Time
	if r.damaged(one, there) {
		mends = r.mendsAt(nameOf(one))
		if !r.Now().Before(mends) {
			return true, time.Time{}
		}
	}
	switch {
	case one.Once():
		return false, mends
	case changed:
		return true, time.Time{}
	}
	at = one.NextRefresh()
	if at.IsZero() {
		return false, mends
	}
	if !mends.IsZero() && mends.Before(at) {
		at = mends
	}
	// A time that lies ahead is of another clock, and says nothing.
	now = !r.Now().Before(at) || status.RefreshTime.After(r.Now())
	return now, at
}

// fixed reports whether a Secret is made that the API server lets nobody change: other
// values could not be written, as External Secrets knows too.
func fixed(one *esv1.ExternalSecret, there *corev1.Secret) bool {
	return one.Spec.Target.Immutable && there != nil && there.Immutable != nil && *there.Immutable
}

// syncedVersion is what a Secret is made of: the generation of the spec, and a sum
// of the metadata, which is copied, and by which people ask for a refresh.
func syncedVersion(one *esv1.ExternalSecret) string {
	text, err := json.Marshal([]map[string]string{one.Labels, one.Annotations})
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(text)
	return strconv.FormatInt(one.Generation, 10) + "-" + hex.EncodeToString(sum[:8])
}

// operatorsVersion is the same in the words of External Secrets' operator, so that
// what it fetched is not fetched again only because it was the operator: a generator
// would make another password.
func operatorsVersion(one *esv1.ExternalSecret) string {
	text := fmt.Sprintf("{annotations:%v labels:%v}", one.Annotations, one.Labels)
	return fmt.Sprintf("%d-%x", one.Generation, sha3.Sum224([]byte(text)))
}
