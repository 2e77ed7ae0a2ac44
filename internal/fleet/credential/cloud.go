package credential

import (
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"

	"github.com/causeway-gitops/causeway/internal/bounded"
)

// Bounds of one request to a cloud.
const (
	cloudPatience = 20 * time.Second
	cloudAnswer   = 1 << 20 // bytes
)

// cloudClient asks a cloud for tokens. What proves who asks goes where the
// settings say, and nowhere else.
func cloudClient() *http.Client {
	return &http.Client{
		Timeout: cloudPatience, Transport: bounded.Transport{Next: http.DefaultTransport, Most: cloudAnswer},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// brief bounds the answers to AWS' own client, which follows no redirects.
type brief struct{ next aws.HTTPClient }

func briefly(next aws.HTTPClient) brief {
	if next == nil {
		next = awshttp.NewBuildableClient()
	}
	return brief{next}
}

// Do implements aws.HTTPClient.
func (b brief) Do(r *http.Request) (*http.Response, error) {
	return bounded.Transport{Next: doer(b.next.Do), Most: cloudAnswer}.RoundTrip(r)
}

type doer func(*http.Request) (*http.Response, error)

// RoundTrip implements http.RoundTripper.
func (d doer) RoundTrip(r *http.Request) (*http.Response, error) { return d(r) }
