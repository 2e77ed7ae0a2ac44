package template

import (
	"bytes"
	"crypto"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"

	"software.sslmate.com/src/go-pkcs12"
)

// Types of PEM blocks.
const (
	pemCertificate = "CERTIFICATE"
	pemPrivateKey  = "PRIVATE KEY"
	pemPublicKey   = "PUBLIC KEY"
)

func pkcs12key(store string) (string, error) { return pkcs12keyPass("", store) }

// pkcs12keyPass is the key of a store, in PKCS 8.
func pkcs12keyPass(password, store string) (string, error) {
	key, _, _, err := pkcs12.DecodeChain([]byte(store), password)
	if err != nil {
		return "", fmt.Errorf("cannot decode the PKCS 12 store: %w", err)
	}
	return privateKeyPEM(key)
}

func privateKeyPEM(key any) (string, error) {
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return "", err
	}
	return encodePEM(pemPrivateKey, der), nil
}

func encodePEM(kind string, der []byte) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
}

func pkcs12cert(store string) (string, error) { return pkcs12certPass("", store) }

// pkcs12certPass are the certificates of a store from the leaf to the root. Those
// that are no chain come as the store has them.
func pkcs12certPass(password, store string) (string, error) {
	_, leaf, others, err := pkcs12.DecodeChain([]byte(store), password)
	if err != nil {
		return "", fmt.Errorf("cannot decode the PKCS 12 store: %w", err)
	}
	all := append([]*x509.Certificate{leaf}, others...)
	if chain, err := chainOf(all); err == nil {
		all = chain
	}
	return certificatesPEM(all), nil
}

func certificatesPEM(all []*x509.Certificate) string {
	var out bytes.Buffer
	for _, one := range all {
		out.WriteString(encodePEM(pemCertificate, one.Raw))
	}
	return out.String()
}

func pemToPkcs12(certificate, key string) (string, error) {
	return pemToPkcs12Pass(certificate, key, "")
}

// pemToPkcs12Pass is a store with a key and its certificate, in base64.
func pemToPkcs12Pass(certificate, key, password string) (string, error) {
	leaf, _, err := certificates(certificate)
	if err != nil {
		return "", err
	}
	return pkcs12Of(leaf, nil, key, password)
}

func fullPemToPkcs12(certificates, key string) (string, error) {
	return fullPemToPkcs12Pass(certificates, key, "")
}

// fullPemToPkcs12Pass is a store with a key, its certificate and those that
// follow it, in base64.
func fullPemToPkcs12Pass(chain, key, password string) (string, error) {
	leaf, others, err := certificates(chain)
	if err != nil {
		return "", err
	}
	return pkcs12Of(leaf, others, key, password)
}

func pkcs12Of(leaf *x509.Certificate, others []*x509.Certificate, key, password string) (string, error) {
	parsed, err := privateKey(key)
	if err != nil {
		return "", err
	}
	store, err := pkcs12.Modern.Encode(parsed, leaf, others, password)
	if err != nil {
		return "", err
	}
	return base64.StdEncoding.EncodeToString(store), nil
}

func pemTruststoreToPKCS12(certificates string) (string, error) {
	return pemTruststoreToPKCS12Pass(certificates, "")
}

// pemTruststoreToPKCS12Pass is a store with certificates alone, in base64.
func pemTruststoreToPKCS12Pass(chain, password string) (string, error) {
	first, others, err := certificates(chain)
	if err != nil {
		return "", err
	}
	store, err := pkcs12.Modern.EncodeTrustStore(append([]*x509.Certificate{first}, others...), password)
	if err != nil {
		return "", err
	}
	return base64.StdEncoding.EncodeToString(store), nil
}

// certificates are those of a text in PEM, of which there has to be one.
func certificates(text string) (first *x509.Certificate, others []*x509.Certificate, err error) {
	all, err := parseCertificates(text)
	if err != nil {
		return nil, nil, err
	}
	if len(all) == 0 {
		return nil, nil, errors.New("the certificate is not in PEM")
	}
	return all[0], all[1:], nil
}

// privateKey reads PKCS 8, PKCS 1 and SEC 1.
func privateKey(text string) (crypto.PrivateKey, error) {
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		return nil, errors.New("failed to decode PEM block of the key")
	}
	if key, err := x509.ParsePKCS8PrivateKey(block.Bytes); err == nil {
		return key, nil
	}
	if key, err := x509.ParsePKCS1PrivateKey(block.Bytes); err == nil {
		return key, nil
	}
	if key, err := x509.ParseECPrivateKey(block.Bytes); err == nil {
		return key, nil
	}
	return nil, fmt.Errorf("unable to parse private key type: the block %s holds no key in PKCS 8, PKCS 1 or SEC 1", block.Type)
}
