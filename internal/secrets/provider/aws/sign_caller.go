package aws

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	signer "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/aws-sdk-go-v2/service/sts"

	"github.com/causeway-gitops/causeway/internal/secrets/store"
)

// Caller is who proves to another server who it is at AWS: the server sends a request to
// AWS which the caller has signed, and AWS answers with the caller's name.
type Caller struct {
	Region     string
	Auth       Auth
	Role       string
	ExternalID string
	// Header is signed as well.
	Header http.Header
}

// Signed is a request that asks AWS who has signed it. It counts for a quarter of an hour.
type Signed struct {
	URL, Body string
	Header    http.Header
}

// globalRegion is the one whose name the server has that serves all.
const globalRegion = "us-east-1"

// whoAmI is what is asked.
// https://docs.aws.amazon.com/STS/latest/APIReference/API_GetCallerIdentity.html.
const whoAmI = "Action=GetCallerIdentity&Version=2011-06-15"

// SignCaller signs that request as a caller.
func (f Factory) SignCaller(ctx context.Context, c Caller, around store.Around) (Signed, error) {
	if c.Region == "" {
		c.Region = globalRegion
	}
	if !regions.MatchString(c.Region) {
		return Signed{}, fmt.Errorf("region %q is none, such as eu-central-1", c.Region)
	}
	cfg, err := connect(c.Region, around)
	if err != nil {
		return Signed{}, err
	}
	a := &asker{config: Config{Region: c.Region, Auth: c.Auth, Role: c.Role, ExternalID: c.ExternalID}}
	if a.credentials, err = f.credentials(ctx, cfg, a, around); err != nil {
		return Signed{}, err
	}
	credentials, err := ask(ctx, a, "sign in", a.credentials.Retrieve)
	if err != nil {
		return Signed{}, err
	}
	global := c.Region == globalRegion
	server, err := sts.NewDefaultEndpointResolverV2().ResolveEndpoint(ctx, sts.EndpointParameters{Region: &c.Region, UseGlobalEndpoint: &global})
	if err != nil {
		return Signed{}, fmt.Errorf("region %q: AWS has no server there", c.Region)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimSuffix(server.URI.String(), "/")+"/", strings.NewReader(whoAmI))
	if err != nil {
		return Signed{}, err
	}
	request.Header = c.Header.Clone()
	if request.Header == nil {
		request.Header = http.Header{}
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded; charset=utf-8")
	request.Header.Set("Content-Length", strconv.Itoa(len(whoAmI)))
	sum := sha256.Sum256([]byte(whoAmI))
	if err := signer.NewSigner().SignHTTP(ctx, credentials, request, hex.EncodeToString(sum[:]), "sts", c.Region, time.Now()); err != nil {
		return Signed{}, fmt.Errorf("cannot sign: %w", err)
	}
	return Signed{URL: request.URL.String(), Body: whoAmI, Header: request.Header}, nil
}
