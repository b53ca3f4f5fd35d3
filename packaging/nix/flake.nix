# A flake for Nix: nix build ./packaging/nix, nix run ./packaging/nix -- run wave.snl
{
  description = "snlc, a compiler for simulations on grids and particles";
  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";
  outputs = { self, nixpkgs }:
    let
      systems = [ "x86_64-linux" "aarch64-linux" ];
      each = f: nixpkgs.lib.genAttrs systems (system: f nixpkgs.legacyPackages.${system});
    in {
      packages = each (pkgs: {
        default = pkgs.stdenv.mkDerivation {
          pname = "snlc";
          version = "0.1.0";
          src = ../..;
          nativeBuildInputs = with pkgs; [ autoconf automake bison flex pkg-config makeWrapper ];
          buildInputs = with pkgs; [ jansson libpng zlib ];
          preConfigure = "patchShebangs . && ./bootstrap";
          enableParallelBuilding = true;
          postInstall = ''wrapProgram $out/bin/snlc --suffix PATH : ${pkgs.gcc}/bin'';
        };
      });
    };
}
