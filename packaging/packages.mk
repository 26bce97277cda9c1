# Packages, images and releases; included by the Makefile.
#
#   make release              build/dist: the sources as a tarball, the same bytes each time, its digest and an SBOM
#   make deb                  build/deb: Debian packages, for the Debian on which it runs
#   make image                build/image: an OCI image of those packages; FILTERD_IMAGE_DEBS names another folder of them
#   make check-packages       packages and image: installed, upgraded, purged, run
#   make check-systems        the tests on the other Debian (12 or 13)

.PHONY: release deb image check-packages check-systems
tarball := build/dist/filterd-$(VERSION).tar.xz

release:
	@[ -z "$$(git status --porcelain)" ] || { echo 'release: a clean work tree expected, but git status names files' >&2; exit 1; }
	packaging/tarball $(VERSION) $(tarball)
	SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct) packaging/sbom --tarball $(tarball) $(VERSION) $(LIBS) > $(tarball:.tar.xz=.spdx.json)
	cd build/dist && sha256sum $(notdir $(tarball)) $(notdir $(tarball:.tar.xz=.spdx.json)) | tee SHA256SUMS

deb:
	packaging/tarball $(VERSION) $(tarball)
	packaging/deb $(tarball) build/deb

FILTERD_IMAGE_DEBS ?= build/deb
image: $(if $(wildcard $(FILTERD_IMAGE_DEBS)/*.deb),,deb)
	packaging/image $(FILTERD_IMAGE_DEBS) build/image

check-packages:
	tests/systems/packages
check-systems:
	tests/systems/other
