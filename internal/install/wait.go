package install

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// poll is the time between two looks at what is waited for.
const poll = time.Second

// Until looks again and again until missing is empty, and tells it when
// the time is over.
func Until(ctx context.Context, check func(context.Context) (missing string, err error)) error {
	ticker := time.NewTicker(poll)
	defer ticker.Stop()
	last := ""
	for {
		missing, err := check(ctx)
		switch {
		case err == nil && missing == "":
			return nil
		case err == nil:
			last = missing
		case ctx.Err() == nil && !passing(err):
			return err
		case last == "":
			last = err.Error()
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w; the last that was waited for: %s", context.Cause(ctx), last)
		case <-ticker.C:
		}
	}
}

// passing reports whether a request may succeed when it is sent again.
func passing(err error) bool {
	var status apierrors.APIStatus
	return !errors.As(err, &status) || apierrors.IsTooManyRequests(err) || apierrors.IsServerTimeout(err) || apierrors.IsTimeout(err) || apierrors.IsInternalError(err) || apierrors.IsConflict(err)
}

// ShortList names the first of many.
func ShortList(all []string) string {
	const most = 5
	return strings.Join(gitops.Few(all, most), "; ")
}
