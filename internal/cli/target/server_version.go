package target

import (
	"context"
	"errors"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
)

// ServerVersion asks a cluster for its version, and takes the time.
func ServerVersion(ctx context.Context, config *rest.Config) (string, time.Duration, error) {
	config = rest.CopyConfig(config)
	config.Timeout = CheckPatience
	client, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return "", 0, err
	}
	type answer struct {
		version string
		err     error
	}
	begin, answers := time.Now(), make(chan answer, 1)
	go func() { // ends within the timeout of config
		v, err := client.ServerVersion()
		if err != nil {
			answers <- answer{err: err}
			return
		}
		answers <- answer{version: v.GitVersion}
	}()
	select {
	case <-ctx.Done():
		return "", 0, ctx.Err()
	case a := <-answers:
		return a.version, time.Since(begin), plain(a.err)
	}
}

// IsStatus reports whether an error is the answer of an API server.
func IsStatus(err error) bool {
	var status apierrors.APIStatus
	return errors.As(err, &status)
}

// plain leaves out the address, which is told beside the error.
func plain(err error) error {
	if err == nil {
		return nil
	}
	if inner := errors.Unwrap(err); inner != nil && !IsStatus(err) {
		return inner
	}
	return err
}

// CheckPatience bounds each question to a cluster or repository. One that is only slow is not ill.
const CheckPatience = 15 * time.Second
