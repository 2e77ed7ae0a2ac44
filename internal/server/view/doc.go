// Package view is what lists show: each Application as a row, kept in memory
// as the hub's watch tells of it, with filters, counts, order and pages, and a
// log of changes for pages that follow. It asks no cluster and knows no
// permissions: who reads says which rows are theirs.
package view
