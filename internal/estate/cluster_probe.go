package estate

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	"k8s.io/apimachinery/pkg/version"
	"k8s.io/client-go/rest"

	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/server/api"
	"github.com/causeway-gitops/causeway/internal/store/audit"
)

// Bounds of one question: somebody waits for it, and anything may answer.
const (
	askTime  = 15 * time.Second
	askBytes = 1 << 20
)

// Probe implements api.Members.
func (c *Clusters) Probe(ctx context.Context, u *auth.User, old *api.Member, want api.MemberWish) (*api.MemberProbed, error) {
	if u == nil {
		return nil, errNobody
	}
	before, err := c.stored(ctx, old)
	if err != nil {
		return nil, err
	}
	s, err := c.fitting(before, &want)
	if err != nil {
		return nil, err
	}
	if err := c.Tries.Take(u.Person()); err != nil {
		return nil, fmt.Errorf("cannot ask cluster %s: %w", want.Name, err)
	}
	e := &audit.Entry{Verb: "test", Resource: "clusters", Project: want.Project, Name: want.Server, Cluster: want.Name, Namespace: c.Namespace}
	if err := c.Trail.Begin(ctx, u, e); err != nil {
		return nil, err
	}
	_, cfg, err := c.Parser.Parse(s)
	if err != nil {
		return nil, err
	}
	if cfg == nil {
		cfg = rest.CopyConfig(c.Hub) // the hub, with the engine's own credentials
	}
	return c.ask(ctx, cfg)
}

// Check implements api.Members.
func (c *Clusters) Check(ctx context.Context, old *api.Member, want api.MemberWish) error {
	before, err := c.stored(ctx, old)
	if err != nil {
		return err
	}
	_, err = c.fitting(before, &want)
	return err
}

// ask asks a cluster what it is, and whom it takes the engine for.
func (c *Clusters) ask(ctx context.Context, cfg *rest.Config) (*api.MemberProbed, error) {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	hc, err := rest.HTTPClientFor(cfg)
	if err != nil {
		return nil, gitops.Problemf(gitops.Invalid, "the connection cannot be made").Do("check the certificates")
	}
	defer hc.CloseIdleConnections()
	hc.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	begun := c.Now()
	out, info := &api.MemberProbed{}, &version.Info{}
	err = exchange(ctx, hc, http.MethodGet, cfg.Host, "/version", nil, info)
	out.Milliseconds = c.Now().Sub(begun).Milliseconds()
	if errors.Is(err, context.Canceled) {
		return nil, err
	}
	if err == nil && info.GitVersion == "" {
		err = errors.New("what answers is no Kubernetes")
	}
	if err != nil {
		out.Message = "The cluster cannot be used: " + err.Error()
		return out, nil
	}
	out.Version = info.GitVersion
	review := &authenticationv1.SelfSubjectReview{}
	review.APIVersion, review.Kind = authenticationv1.SchemeGroupVersion.String(), "SelfSubjectReview"
	if err := exchange(ctx, hc, http.MethodPost, cfg.Host, "/apis/authentication.k8s.io/v1/selfsubjectreviews", review, review); err != nil {
		out.Message = fmt.Sprintf("Kubernetes %s answers, and does not let the engine in: %v", out.Version, err)
		return out, nil
	}
	out.OK, out.User = true, review.Status.UserInfo.Username
	out.Message = fmt.Sprintf("Kubernetes %s answers, and knows the engine as %s.", out.Version, out.User)
	return out, nil
}

// exchange sends a request and reads its answer. Of an answer that is none its
// code alone is told: it may be of anything that the engine can reach.
func exchange(ctx context.Context, hc *http.Client, method, host, path string, body, into any) error {
	var text io.Reader
	if body != nil {
		data, err := json.Marshal(body)
		if err != nil {
			return err
		}
		text = bytes.NewReader(data)
	}
	req, err := http.NewRequestWithContext(ctx, method, strings.TrimRight(host, "/")+path, text)
	if err != nil {
		return errors.New("the address is none; correct it")
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("Content-Type", "application/json")
	resp, err := hc.Do(req)
	if err != nil {
		var of *url.Error
		if errors.As(err, &of) {
			err = of.Err
		}
		if errors.Is(err, context.DeadlineExceeded) {
			return fmt.Errorf("it does not answer within %s; check the address, and that the engine can reach it", askTime)
		}
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	switch {
	case resp.StatusCode == http.StatusUnauthorized:
		return errors.New("it answers 401 Unauthorized; check the credentials")
	case resp.StatusCode == http.StatusForbidden:
		return errors.New("it answers 403 Forbidden; check the rights of the credentials")
	case resp.StatusCode/100 != 2:
		return fmt.Errorf("it answers %d %s; check the address", resp.StatusCode, http.StatusText(resp.StatusCode))
	}
	if json.NewDecoder(io.LimitReader(resp.Body, askBytes)).Decode(into) != nil {
		return errors.New("what answers is no Kubernetes; check the address")
	}
	return nil
}
