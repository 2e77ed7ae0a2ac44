package credential

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/google"
)

// Google gets tokens of GKE with the machine's default credentials: workload
// identity, the metadata server, or the file that
// GOOGLE_APPLICATION_CREDENTIALS names.
type Google struct{}

// googleScopes are those that GKE asks for: the second one lets it know the
// account by its address.
var googleScopes = []string{"https://www.googleapis.com/auth/cloud-platform", "https://www.googleapis.com/auth/userinfo.email"}

// Get asks Google for a token.
func (Google) Get(ctx context.Context) (Credential, error) {
	ctx = context.WithValue(ctx, oauth2.HTTPClient, cloudClient())
	found, err := google.FindDefaultCredentials(ctx, googleScopes...)
	if err != nil {
		return Credential{}, errors.New("cannot find default credentials of Google Cloud: give the engine's account a workload identity, or set GOOGLE_APPLICATION_CREDENTIALS")
	}
	token, err := found.TokenSource.Token()
	if err != nil {
		return Credential{}, googleProblem(err)
	}
	return Credential{Token: token.AccessToken, Expires: token.Expiry}, nil
}

// googleProblem leaves out the body of the answer, which may repeat what was sent.
func googleProblem(err error) error {
	var refused *oauth2.RetrieveError
	if errors.As(err, &refused) {
		status := "no status"
		if refused.Response != nil {
			status = refused.Response.Status
		}
		return fmt.Errorf("cannot get a token of Google Cloud: %s %s", status, refused.ErrorCode)
	}
	return errors.New("cannot get a token of Google Cloud: its token service does not answer as it should")
}
