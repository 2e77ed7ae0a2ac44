package template

import (
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"strings"
)

// filterPEM are the blocks of one type, whose case is of no meaning.
func filterPEM(kind, text string) (string, error) {
	var out bytes.Buffer
	for rest := []byte(text); len(rest) > 0; {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			return "", errors.New("filterPEM: found junk after the last block in PEM")
		}
		if !strings.EqualFold(block.Type, kind) {
			continue
		}
		if err := pem.Encode(&out, block); err != nil {
			return "", err
		}
	}
	return out.String(), nil
}

// parseCertificates reads each block of a text as a certificate.
func parseCertificates(text string) ([]*x509.Certificate, error) {
	var all []*x509.Certificate
	for rest := []byte(text); ; {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			return all, nil
		}
		one, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, fmt.Errorf("the block %d (%s) is no certificate: %w", len(all)+1, block.Type, err)
		}
		all = append(all, one)
	}
}

// Parts of a chain.
const (
	chainLeaf         = "leaf"
	chainIntermediate = "intermediate"
	chainRoot         = "root"
)

// filterCertChain is a part of a chain of certificates: leaf, intermediate or root.
func filterCertChain(part, text string) (string, error) {
	all, err := parseCertificates(text)
	if err != nil {
		return "", err
	}
	chain, err := chainOf(all)
	if err != nil {
		return "", err
	}
	var leaf, root []*x509.Certificate
	middle := chain
	if last := middle[len(middle)-1]; isRoot(last) {
		root, middle = middle[len(middle)-1:], middle[:len(middle)-1]
	}
	if len(middle) > 0 {
		leaf, middle = middle[:1], middle[1:]
	}
	switch part {
	case chainLeaf:
		return certificatesPEM(leaf), nil
	case chainIntermediate:
		return certificatesPEM(middle), nil
	case chainRoot:
		return certificatesPEM(root), nil
	default:
		return "", fmt.Errorf("filterCertChain knows no part %q: use %s, %s or %s", part, chainLeaf, chainIntermediate, chainRoot)
	}
}

func isRoot(c *x509.Certificate) bool { return bytes.Equal(c.RawIssuer, c.RawSubject) && issued(c, c) }

// issued reports whether one certificate says that another issued it.
func issued(by, one *x509.Certificate) bool {
	if !bytes.Equal(one.RawIssuer, by.RawSubject) {
		return false
	}
	return len(one.AuthorityKeyId) == 0 || len(by.SubjectKeyId) == 0 || bytes.Equal(one.AuthorityKeyId, by.SubjectKeyId)
}

// chainOf orders certificates from the leaf, which issued none of them, upwards.
func chainOf(all []*x509.Certificate) ([]*x509.Certificate, error) {
	issuer := make([]int, len(all))
	issues := make([]bool, len(all))
	for i, one := range all {
		issuer[i] = -1
		for j, by := range all {
			if i != j && issued(by, one) {
				issuer[i], issues[j] = j, true
				break
			}
		}
	}
	leaf := -1
	for i := range all {
		if issues[i] {
			continue
		}
		if leaf >= 0 {
			return nil, errors.New("found multiple leaf or disjunct certificates")
		}
		leaf = i
	}
	if leaf < 0 {
		return nil, errors.New("no leaf certificate found")
	}
	chain := make([]*x509.Certificate, 0, len(all))
	for i := leaf; i >= 0 && len(chain) < len(all); i = issuer[i] {
		chain = append(chain, all[i])
	}
	if len(chain) != len(all) {
		return nil, errors.New("found multiple leaf or disjunct certificates")
	}
	return chain, nil
}

// certSANs are the names of a certificate: DNS names, addresses, mail addresses, URIs.
func certSANs(text string) ([]string, error) {
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		return nil, errors.New("failed to decode PEM block of the certificate")
	}
	one, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("the block %s is no certificate: %w", block.Type, err)
	}
	names := append([]string{}, one.DNSNames...)
	for _, address := range one.IPAddresses {
		names = append(names, address.String())
	}
	names = append(names, one.EmailAddresses...)
	for _, uri := range one.URIs {
		names = append(names, uri.String())
	}
	return names, nil
}
