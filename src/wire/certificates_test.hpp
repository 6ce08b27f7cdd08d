// Certificates of a test, made by the openssl command when the test runs.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "wire/tls.hpp"

namespace neph::wire {

/// A folder with two CAs, "ca" and "other-ca", and what each test asks for.
class Certificates {
 public:
  Certificates() : folder_((std::filesystem::temp_directory_path() / "neph-tls-XXXXXX").string()) {
    EXPECT_NE(::mkdtemp(folder_.data()), nullptr);
    for (const auto* name : {"ca", "other-ca"})
      openssl("req -x509 {0} -nodes -days 2 -subj /CN={1} -keyout {1}.key -out {1}.pem", new_key, name);
    sign("server", "DNS:localhost,IP:127.0.0.1", "ca");
  }
  ~Certificates() { std::filesystem::remove_all(folder_); }
  Certificates(const Certificates&) = delete;
  Certificates& operator=(const Certificates&) = delete;

  /// NAME.pem and NAME.key, for hosts as "DNS:a,IP:1.2.3.4", signed by a CA of the folder.
  void sign(const std::string& name, const std::string& hosts, const std::string& ca, int days = 2) {
    std::ofstream(file(name + ".ext")) << "subjectAltName=" << hosts << "\n";
    openssl("req {0} -nodes -subj /CN={1} -keyout {1}.key -out {1}.csr", new_key, name);
    openssl(
        "x509 -req -in {0}.csr -CA {1}.pem -CAkey {1}.key -CAcreateserial -days {2} -extfile {0}.ext -out "
        "{0}.pem",
        name, ca, days);
  }
  std::string file(const std::string& name) const { return folder_ + "/" + name; }
  TlsServer server(const std::string& name = "server") const {
    return {.certificate = file(name + ".pem"), .key = file(name + ".key")};
  }
  TlsClient client(const std::string& ca = "ca") const { return {.ca = file(ca + ".pem")}; }

 private:
  static constexpr const char* new_key = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1";

  template <class... Args>
  void openssl(fmt::format_string<Args...> format, Args&&... args) {
    const auto command =
        fmt::format("cd {} && openssl {} 2>>log", folder_, fmt::format(format, std::forward<Args>(args)...));
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
  }

  std::string folder_;
};

}  // namespace neph::wire
