package aws

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/sts"

	"github.com/causeway-gitops/causeway/internal/secrets/store"
)

// generating is how long AWS may take for what a generator makes.
const generating = 30 * time.Second

// sessionSpec is what an STSSessionToken says.
type sessionSpec struct {
	Region            string `json:"region"`
	Auth              Auth   `json:"auth,omitzero"`
	Role              string `json:"role,omitempty"`
	RequestParameters struct {
		SessionDuration *int32 `json:"sessionDuration,omitempty"`
		SerialNumber    string `json:"serialNumber,omitempty"`
		TokenCode       string `json:"tokenCode,omitempty"`
	} `json:"requestParameters,omitzero"`
}

// SessionToken is a generator.Maker: credentials of a user that count for a while.
func (f Factory) SessionToken(ctx context.Context, said json.RawMessage, around store.Around) (map[string][]byte, error) {
	var spec sessionSpec
	if err := json.Unmarshal(said, &spec); err != nil {
		return nil, fmt.Errorf("spec: %w", err)
	}
	if err := checkRegion(spec.Region); err != nil {
		return nil, fmt.Errorf("spec: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, generating)
	defer cancel()
	cfg, a, err := f.signIn(ctx, Config{Region: spec.Region, Auth: spec.Auth, Role: spec.Role}, around)
	if err != nil {
		return nil, err
	}
	in := &sts.GetSessionTokenInput{
		DurationSeconds: spec.RequestParameters.SessionDuration, SerialNumber: given(spec.RequestParameters.SerialNumber), TokenCode: given(spec.RequestParameters.TokenCode),
	}
	client := f.sts(cfg)
	out, err := ask(ctx, a, "get a session token", func(ctx context.Context) (*sts.GetSessionTokenOutput, error) { return client.GetSessionToken(ctx, in) })
	if err != nil {
		return nil, err
	}
	made := out.Credentials
	if made == nil || text(made.AccessKeyId) == "" || text(made.SecretAccessKey) == "" || text(made.SessionToken) == "" || made.Expiration == nil {
		return nil, errors.New("cannot get a session token: the answer has none")
	}
	return map[string][]byte{
		"access_key_id": []byte(*made.AccessKeyId), "secret_access_key": []byte(*made.SecretAccessKey), "session_token": []byte(*made.SessionToken),
		"expiration": seconds(*made.Expiration),
	}, nil
}

func seconds(at time.Time) []byte { return strconv.AppendInt(nil, at.Unix(), 10) }
